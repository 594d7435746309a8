package dev.ringfence.redaction;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A redaction as it was read.
 *
 * @param tenantHash the tenant, as its lifecycle row is found
 * @param tenant the clear name; null as soon as no remote erasure may need it
 * @param tenantId null before the fencing transaction
 * @param epochBefore the epoch that was ended; null before, and where the tenant was unknown
 * @param boundary what began at or before it stays refused; null before the fencing transaction
 * @param unresolved markers without a finding that ends them
 */
@SuppressWarnings("ArrayRecordComponent") // a hash that nobody compares
record Redaction(
        UUID id,
        UUID appId,
        byte[] tenantHash,
        @Nullable String tenant,
        @Nullable Long tenantId,
        @Nullable UUID epochBefore,
        @Nullable Instant boundary,
        boolean remoteErasure,
        RedactionStatus status,
        Instant requestedAt,
        @Nullable Instant finishedAt,
        long unresolved,
        List<Stage> stages) {

    Redaction {
        stages = List.copyOf(stages);
    }

    /** The first stage that is not over; empty where all are. */
    Optional<Stage> next() {
        return stages.stream().filter(stage -> !stage.status().over()).findFirst();
    }

    /** The narrow key; call it after the fencing transaction only. */
    long fencedTenant() {
        Long known = tenantId;
        if (known == null) {
            throw new IllegalStateException("redaction " + id + " is not fenced");
        }
        return known;
    }

    /** Names no tenant. */
    @Override
    public String toString() {
        return "Redaction[" + id + ", " + status + "]";
    }
}
