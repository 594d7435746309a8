package dev.ringfence.campaign;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a redaction race left behind: the receiver's log, and what triggers of the test copied out of the database while it happened, as
 * erasure leaves nothing else. No time of any clock is compared: the receiver's log is counted, the versions of a tenant's row are
 * numbered under its row lock, and a {@link Sweep} ties the two together.
 *
 * @param sweeps positions in the receiver's log by the fencing transaction's ticket
 * @param fenceRows the lifecycle rows at the end, the epoch by tenant
 * @param markers reservations that have a marker of what is unresolved
 */
record RaceHistory(
        List<Arrival> arrivals,
        Map<Long, Long> sweeps,
        List<Reservation> reservations,
        List<Version> versions,
        List<Recorded> recorded,
        Map<Long, FenceRow> fenceRows,
        Set<UUID> markers) {

    /**
     * A request whose first byte the receiver read.
     *
     * @param position of its first byte among all first bytes and sweeps, from 1
     * @param messageId the delivery's; empty where the request broke off before its head was complete
     * @param tenant whose event the body says it is; empty where it broke off
     * @param epoch under which the body says it was recorded; empty where it broke off
     * @param reserved how many reservations of the delivery were committed when the receiver had read the request and looked; -1
     *     where it did not look, as the request broke off
     * @param status what it was answered with; 0 where the connection was closed instead
     */
    record Arrival(long position, String messageId, String tenant, String epoch, int reserved, int status) {}

    /**
     * A committed reservation, read as it was inserted.
     *
     * @param epoch of its delivery
     * @param seen the lifecycle row that the inserting transaction could see
     * @param state its last state
     * @param note for whoever reads it; nothing is concluded from it
     */
    record Reservation(
            UUID id, String messageId, long tenantId, String epoch, FenceRow seen, String state, String note) {
        /** Whether its outcome leaves open that the request left. */
        boolean mayHaveLeft() {
            return !state.equals("RELEASED") && !state.equals("NOT_SENT") && !state.equals("CANCELLED");
        }

        boolean unresolved() {
            return state.equals("SENDING") || state.equals("UNCERTAIN");
        }
    }

    /** A tenant's lifecycle row at some moment. */
    record FenceRow(String epoch, String phase, @Nullable Instant boundary) {
        boolean active() {
            return phase.equals("ACTIVE");
        }
    }

    /**
     * A committed version of a tenant's lifecycle row.
     *
     * @param order among the versions of all tenants; within a tenant it is the order of the commits
     * @param row null where the row was deleted
     * @param ticket of a version that ended an epoch: while its transaction was open, the receiver wrote down where in its log it
     *     was; null in all others
     * @param note for whoever reads it; nothing is concluded from it
     */
    record Version(
            long order,
            long tenantId,
            @Nullable FenceRow row,
            @Nullable Long ticket,
            String note) {}

    /** A committed event, read as it was inserted. */
    record Recorded(String eventId, long tenantId, String epoch, FenceRow seen) {}
}
