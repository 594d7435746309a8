package dev.ringfence.recording;

import dev.ringfence.erasure.ErasureRepository;
import dev.ringfence.erasure.TableEraser;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;

/** Erases a tenant's aggregates. */
@Dependent
public class AggregateEraser extends TableEraser {

    @Inject
    AggregateEraser(ErasureRepository rows) {
        super(rows, "aggregates", 60);
    }
}
