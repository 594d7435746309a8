package dev.ringfence.delivery;

import dev.ringfence.erasure.ErasureRepository;
import dev.ringfence.erasure.TableEraser;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;

/** Erases a tenant's attempts. Those whose remote end is unknown leave a marker (RD-1). */
@Dependent
public class AttemptEraser extends TableEraser {

    @Inject
    AttemptEraser(ErasureRepository rows) {
        super(rows, "delivery_attempts", 10);
    }
}
