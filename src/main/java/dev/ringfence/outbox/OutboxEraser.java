package dev.ringfence.outbox;

import dev.ringfence.erasure.ErasureRepository;
import dev.ringfence.erasure.TableEraser;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;

/** Erases a tenant's events. */
@Dependent
public class OutboxEraser extends TableEraser {

    @Inject
    OutboxEraser(ErasureRepository rows) {
        super(rows, "outbox_events", 40);
    }
}
