package dev.ringfence.idempotency;

import dev.ringfence.erasure.ErasureRepository;
import dev.ringfence.erasure.TableEraser;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;

/** Erases the answers that were kept for a tenant's requests (RC-12). */
@Dependent
public class IdempotencyEraser extends TableEraser {

    @Inject
    IdempotencyEraser(ErasureRepository rows) {
        super(rows, "idempotency_keys", 70);
    }
}
