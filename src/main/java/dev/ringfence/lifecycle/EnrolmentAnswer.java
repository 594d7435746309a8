package dev.ringfence.lifecycle;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What enrolment answers. */
record EnrolmentAnswer(
        UUID epoch, Phase phase, @Nullable Instant enrolledAt, long enableGeneration, long configurationRevision) {

    static EnrolmentAnswer of(TenantLifecycle row) {
        return new EnrolmentAnswer(
                row.epoch(), row.phase(), row.enrolledAt(), row.enableGeneration(), row.configurationRevision());
    }
}
