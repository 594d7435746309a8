package dev.ringfence.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.campaign.RaceChecker.Fault;
import dev.ringfence.campaign.RaceChecker.Found;
import dev.ringfence.campaign.RaceHistory.Arrival;
import dev.ringfence.campaign.RaceHistory.FenceRow;
import dev.ringfence.campaign.RaceHistory.Recorded;
import dev.ringfence.campaign.RaceHistory.Reservation;
import dev.ringfence.campaign.RaceHistory.Version;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The judge of the redaction race, judged: each fault is planted in a history that is clean, and is found and nothing else. */
class RaceCheckerTest {
    private static final Instant FIRST = Instant.parse("2026-11-30T00:00:00Z");
    private static final FenceRow OLD = new FenceRow("old", "ACTIVE", null);
    private static final FenceRow REDACTED = new FenceRow("between", "REDACTED", FIRST);
    private static final FenceRow NEW = new FenceRow("new", "ACTIVE", FIRST);
    private static final FenceRow NEIGHBOUR = new FenceRow("neighbour", "ACTIVE", null);

    private final List<Arrival> arrivals = new ArrayList<>();
    private final Map<Long, Long> sweeps = new HashMap<>();
    private final List<Reservation> reservations = new ArrayList<>();
    private final List<Version> versions = new ArrayList<>();
    private final List<Recorded> recorded = new ArrayList<>();
    private final Map<Long, FenceRow> fenceRows = new HashMap<>();
    private final Set<UUID> markers = new HashSet<>();

    /** A tenant of two epochs with a redaction between them at position 5, and a neighbour that is left alone. */
    RaceCheckerTest() {
        versions.add(new Version(1, 1, OLD, null, ""));
        versions.add(new Version(2, 2, NEIGHBOUR, null, ""));
        versions.add(new Version(3, 1, REDACTED, 7L, ""));
        versions.add(new Version(4, 1, NEW, null, ""));
        sweeps.put(7L, 5L);
        fenceRows.put(1L, NEW);
        fenceRows.put(2L, NEIGHBOUR);

        reserve("a", 1, OLD, "FAILED");
        reserve("a", 1, OLD, "ACKNOWLEDGED");
        reserve("a", 1, OLD, "RELEASED");
        markers.add(reserve("b", 1, OLD, "UNCERTAIN"));
        reserve("c", 2, NEIGHBOUR, "ACKNOWLEDGED");
        reserve("d", 1, NEW, "UNCERTAIN");
        reserve("d", 1, NEW, "ACKNOWLEDGED");
        arrive(1, "a", "shop", "old", 1, 503);
        arrive(2, "a", "shop", "old", 2, 200);
        arrive(3, "b", "shop", "old", 1, 0);
        arrive(4, "c", "other", "neighbour", 1, 200);
        arrive(6, "d", "shop", "new", 1, 0);
        arrive(7, "d", "shop", "new", 2, 200);
        recorded.add(new Recorded("evt_1", 1, "old", OLD));
        recorded.add(new Recorded("evt_2", 1, "new", NEW));
    }

    private UUID reserve(String message, long tenant, FenceRow seen, String state) {
        UUID id = UUID.randomUUID();
        reservations.add(new Reservation(id, message, tenant, seen.epoch(), seen, state, ""));
        return id;
    }

    private void arrive(long position, String message, String tenant, String epoch, int reserved, int status) {
        arrivals.add(new Arrival(position, message, tenant, epoch, reserved, status));
    }

    private List<Fault> faults() {
        RaceHistory history = new RaceHistory(arrivals, sweeps, reservations, versions, recorded, fenceRows, markers);
        return RaceChecker.check(history).stream().map(Found::fault).toList();
    }

    @Test
    void a_clean_history_passes() {
        assertThat(faults()).isEmpty();
    }

    @Test
    void the_order_of_the_books_lines_does_not_matter() {
        java.util.Collections.reverse(arrivals);
        java.util.Collections.reverse(versions);
        assertThat(faults()).isEmpty();
    }

    @Test
    void a_request_without_a_reservation() {
        arrive(8, "e", "shop", "new", 1, 200);
        assertThat(faults()).containsExactly(Fault.REQUEST_WITHOUT_RESERVATION);
    }

    @Test
    void a_request_before_its_reservation() {
        reserve("e", 1, NEW, "ACKNOWLEDGED");
        arrive(8, "e", "shop", "new", 0, 200);
        assertThat(faults()).containsExactly(Fault.REQUEST_BEFORE_RESERVATION);
    }

    @Test
    void a_second_request_before_the_second_reservation() {
        arrivals.removeIf(a -> a.position() == 7);
        arrive(7, "d", "shop", "new", 1, 200);
        assertThat(faults()).containsExactly(Fault.REQUEST_BEFORE_RESERVATION);
    }

    @Test
    void more_requests_than_reservations() {
        arrive(8, "c", "other", "neighbour", 2, 200);
        assertThat(faults()).containsExactly(Fault.MORE_REQUESTS_THAN_RESERVATIONS);
    }

    @Test
    void a_request_of_a_reservation_that_says_nothing_left() {
        for (String state : List.of("RELEASED", "NOT_SENT", "CANCELLED")) {
            reservations.removeIf(r -> r.messageId().equals("e"));
            reserve("e", 1, NEW, state);
            arrivals.removeIf(a -> a.position() == 8);
            arrive(8, "e", "shop", "new", 1, 200);
            assertThat(faults()).as(state).containsExactly(Fault.MORE_REQUESTS_THAN_RESERVATIONS);
        }
    }

    @Test
    void an_acknowledgement_that_the_receiver_never_gave() {
        reserve("e", 1, NEW, "ACKNOWLEDGED");
        arrive(8, "e", "shop", "new", 1, 503);
        assertThat(faults()).containsExactly(Fault.ACKNOWLEDGED_WITHOUT_ANSWER);
    }

    @Test
    void a_request_after_the_fencing_commit() {
        reserve("b", 1, OLD, "ACKNOWLEDGED");
        arrivals.removeIf(a -> a.position() > 5);
        arrive(6, "b", "shop", "old", 2, 200);
        reservations.removeIf(r -> r.messageId().equals("d"));
        assertThat(faults()).containsExactly(Fault.REQUEST_AFTER_FENCING);
    }

    @Test
    void a_fragment_after_the_fencing_commit_whose_body_never_came() {
        markers.add(reserve("b", 1, OLD, "UNCERTAIN"));
        arrive(6, "b", "", "", -1, 0);
        assertThat(faults()).contains(Fault.REQUEST_AFTER_FENCING);
    }

    @Test
    void a_request_that_nobody_can_attribute() {
        arrive(8, "", "", "", -1, 0);
        assertThat(faults()).containsExactly(Fault.UNATTRIBUTED_REQUEST);
    }

    @Test
    void a_fencing_that_the_receiver_knows_nothing_of() {
        sweeps.clear();
        assertThat(faults()).contains(Fault.FENCING_WITHOUT_SWEEP);
    }

    @Test
    void an_epoch_that_ended_without_a_ticket() {
        versions.add(new Version(5, 2, new FenceRow("next", "ACTIVE", null), null, ""));
        fenceRows.put(2L, new FenceRow("next", "ACTIVE", null));
        assertThat(faults()).containsExactly(Fault.FENCING_WITHOUT_SWEEP);
    }

    @Test
    void an_old_epochs_payload_in_a_new_epochs_delivery() {
        reserve("e", 1, NEW, "ACKNOWLEDGED");
        arrive(8, "e", "shop", "old", 1, 200);
        assertThat(faults()).containsExactly(Fault.MIXED_EPOCHS, Fault.EPOCH_CAME_BACK);
    }

    @Test
    void another_tenants_payload() {
        reserve("e", 1, NEW, "ACKNOWLEDGED");
        arrive(8, "e", "other", "neighbour", 1, 200);
        assertThat(faults()).containsExactly(Fault.MIXED_EPOCHS);
    }

    @Test
    void one_tenants_name_on_another_tenants_epoch() {
        reserve("e", 2, NEIGHBOUR, "ACKNOWLEDGED");
        arrive(8, "e", "shop", "neighbour", 1, 200);
        assertThat(faults()).containsExactly(Fault.MIXED_EPOCHS);
    }

    @Test
    void a_reservation_in_an_epoch_that_never_was() {
        reservations.add(new Reservation(UUID.randomUUID(), "e", 1, "invented", NEW, "ACKNOWLEDGED", ""));
        arrive(8, "e", "shop", "invented", 1, 200);
        assertThat(faults()).contains(Fault.MIXED_EPOCHS, Fault.RESERVED_IN_ENDED_EPOCH);
    }

    @Test
    void an_epoch_that_is_given_again() {
        FenceRow again = new FenceRow("old", "ACTIVE", FIRST);
        versions.add(new Version(5, 1, again, 8L, ""));
        sweeps.put(8L, 9L);
        fenceRows.put(1L, again);
        assertThat(faults()).contains(Fault.EPOCH_GIVEN_TWICE);
    }

    @Test
    void a_redaction_that_keeps_the_epoch() {
        FenceRow kept = new FenceRow("neighbour", "REDACTED", FIRST);
        versions.add(new Version(5, 2, kept, 8L, ""));
        sweeps.put(8L, 8L);
        fenceRows.put(2L, kept);
        arrive(9, "c", "other", "neighbour", 2, 200);
        reserve("c", 2, NEIGHBOUR, "ACKNOWLEDGED");
        assertThat(faults()).containsExactly(Fault.EPOCH_GIVEN_TWICE, Fault.REQUEST_AFTER_FENCING);
    }

    @Test
    void a_reservation_after_the_epoch_ended() {
        reservations.add(new Reservation(UUID.randomUUID(), "b", 1, "old", REDACTED, "RELEASED", ""));
        assertThat(faults()).containsExactly(Fault.RESERVED_IN_ENDED_EPOCH);
    }

    @Test
    void an_event_recorded_after_the_epoch_ended() {
        recorded.add(new Recorded("evt_3", 1, "old", NEW));
        recorded.add(new Recorded("evt_4", 1, "between", REDACTED));
        assertThat(faults()).containsExactly(Fault.RECORDED_IN_ENDED_EPOCH, Fault.RECORDED_IN_ENDED_EPOCH);
    }

    @Test
    void a_boundary_that_moved_back() {
        FenceRow back = new FenceRow("new", "ACTIVE", FIRST.minusNanos(1_000));
        versions.add(new Version(5, 1, back, null, ""));
        fenceRows.put(1L, back);
        assertThat(faults()).containsExactly(Fault.BOUNDARY_MOVED_BACK);
    }

    @Test
    void a_boundary_that_is_forgotten() {
        FenceRow none = new FenceRow("new", "ACTIVE", null);
        versions.add(new Version(5, 1, none, null, ""));
        fenceRows.put(1L, none);
        assertThat(faults()).containsExactly(Fault.BOUNDARY_MOVED_BACK);
    }

    @Test
    void a_fence_row_that_is_gone() {
        fenceRows.remove(2L);
        assertThat(faults()).containsExactly(Fault.FENCE_ROW_LOST);
    }

    @Test
    void a_fence_row_that_was_deleted_and_made_again() {
        versions.add(new Version(5, 2, null, null, ""));
        versions.add(new Version(6, 2, NEIGHBOUR, null, ""));
        assertThat(faults()).containsExactly(Fault.FENCE_ROW_LOST);
    }

    @Test
    void a_fence_row_that_is_not_what_was_committed_last() {
        fenceRows.put(1L, REDACTED);
        assertThat(faults()).containsExactly(Fault.FENCE_ROW_LOST);
    }

    @Test
    void an_attempt_with_neither_outcome_nor_marker() {
        for (String state : List.of("SENDING", "UNCERTAIN")) {
            reservations.removeIf(r -> r.messageId().equals("e"));
            reserve("e", 1, OLD, state);
            assertThat(faults()).as(state).containsExactly(Fault.UNRESOLVED_WITHOUT_MARKER);
        }
    }

    @Test
    void an_attempt_of_a_living_epoch_that_nobody_closed() {
        reserve("e", 1, NEW, "SENDING");
        assertThat(faults()).containsExactly(Fault.ATTEMPT_LEFT_OPEN);
    }

    @Test
    void a_marker_of_nothing() {
        markers.add(UUID.randomUUID());
        assertThat(faults()).containsExactly(Fault.MARKER_OF_NOTHING);
    }
}
