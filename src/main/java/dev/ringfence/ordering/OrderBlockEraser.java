package dev.ringfence.ordering;

import dev.ringfence.erasure.ErasureRepository;
import dev.ringfence.erasure.TableEraser;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;

/** Erases the notes of which of a tenant's dead deliveries hold their key. */
@Dependent
public class OrderBlockEraser extends TableEraser {

    @Inject
    OrderBlockEraser(ErasureRepository rows) {
        super(rows, "order_blocks", 15);
    }
}
