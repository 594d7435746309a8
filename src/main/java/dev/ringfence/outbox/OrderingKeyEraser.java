package dev.ringfence.outbox;

import dev.ringfence.erasure.ErasureRepository;
import dev.ringfence.erasure.TableEraser;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;

/** Erases a tenant's ordering keys, and with them the numbers that they have reached. */
@Dependent
public class OrderingKeyEraser extends TableEraser {

    @Inject
    OrderingKeyEraser(ErasureRepository rows) {
        super(rows, "ordering_keys", 35);
    }
}
