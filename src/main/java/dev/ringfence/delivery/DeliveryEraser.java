package dev.ringfence.delivery;

import dev.ringfence.erasure.ErasureRepository;
import dev.ringfence.erasure.TableEraser;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;

/** Erases a tenant's deliveries. */
@Dependent
public class DeliveryEraser extends TableEraser {

    @Inject
    DeliveryEraser(ErasureRepository rows) {
        super(rows, "deliveries", 20);
    }
}
