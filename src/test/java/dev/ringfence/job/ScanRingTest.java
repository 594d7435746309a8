package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("HT-5")
class ScanRingTest {
    private static final Instant DUE = Instant.parse("2026-11-30T12:00:00Z");
    private static final long LATER = ScanRing.BETWEEN_ROUNDS.toNanos();

    private final ScanRing ring = new ScanRing();

    private static ScanPlace pair(int tenant) {
        return new ScanPlace(tenant, new UUID(0, tenant));
    }

    /** A visit that finds as many as it may take, and so leaves more. */
    private static ScanVisit more(int tenant, long id) {
        ScanVisit visit = new ScanVisit(pair(tenant), 1, true);
        visit.found(id, DUE);
        return visit;
    }

    private static ScanVisit last(int tenant, long id) {
        ScanVisit visit = new ScanVisit(pair(tenant), 5, true);
        visit.found(id, DUE);
        return visit;
    }

    private static Scan scan(boolean wrapped, ScanVisit... visits) {
        return new Scan(List.of(), List.of(visits), wrapped);
    }

    private boolean round(long now, ScanVisit... visits) {
        assertThat(ring.known(now)).as("a part of a round").isEmpty();
        for (ScanVisit visit : visits) {
            ring.took(visit.pair().subscriptionId());
        }
        return ring.seen(scan(true, visits), now);
    }

    private void goOn(long now, boolean wrapped, ScanVisit... visits) {
        for (ScanVisit visit : visits) {
            ring.took(visit.pair().subscriptionId());
        }
        ring.seen(scan(wrapped, visits), now);
    }

    /** Else looks for those whose slots are taken would follow each other without a pause. */
    @Test
    void a_look_in_vain_is_followed_by_a_round() {
        round(0, more(1, 10));
        assertThat(ring.known(1)).hasSize(1);
        assertThat(ring.seen(scan(true, new ScanVisit(pair(1), 0, true)), 1)).isFalse();
        assertThat(ring.known(2)).isEmpty();
        assertThat(ring.seen(scan(true, new ScanVisit(pair(1), 0, true)), 2))
                .as("a rest")
                .isTrue();
    }

    @Test
    void goes_on_after_a_round_where_there_was_more_in_turns() {
        assertThat(round(0, more(1, 10), last(2, 20), more(3, 30))).isFalse();
        assertThat(ring.known(1)).containsExactly(new ScanHead(pair(1), DUE, 10), new ScanHead(pair(3), DUE, 30));

        goOn(1, false, more(1, 11));
        assertThat(ring.known(2))
                .as("who had no turn is first")
                .containsExactly(new ScanHead(pair(3), DUE, 30), new ScanHead(pair(1), DUE, 11));

        goOn(2, true, last(3, 31), more(1, 12));
        assertThat(ring.known(3)).containsExactly(new ScanHead(pair(1), DUE, 12));
    }

    @Test
    void a_round_begins_when_its_time_has_come_and_from_the_beginning() {
        round(0, more(1, 10));
        assertThat(ring.known(LATER - 1)).isNotEmpty();
        assertThat(ring.known(LATER)).isEmpty();
        assertThat(ring.place()).isEqualTo(ScanPlace.START);
    }

    @Test
    void a_round_begins_as_soon_as_there_is_nothing_to_go_on_with() {
        round(0, more(1, 10));
        ring.seen(scan(true, last(1, 11)), 1);
        assertThat(ring.known(2)).isEmpty();
    }

    @Test
    void a_round_of_several_looks_ends_at_its_end() {
        assertThat(ring.known(0)).isEmpty();
        ring.took(pair(1).subscriptionId());
        ring.seen(scan(false, more(1, 10)), 0);
        assertThat(ring.place()).isEqualTo(pair(1));
        assertThat(ring.known(LATER)).as("the same round").isEmpty();
        ring.took(pair(2).subscriptionId());
        assertThat(ring.endpoints()).isEqualTo(2);
        ring.seen(scan(true, more(2, 20)), LATER);
        assertThat(ring.known(LATER + 1)).hasSize(2);
        assertThat(ring.place()).isEqualTo(ScanPlace.START);
    }

    @Test
    void a_round_without_a_find_says_so_and_the_next_look_is_a_round_too() {
        assertThat(ring.seen(scan(true, new ScanVisit(pair(1), 0, true)), 0)).isTrue();
        assertThat(ring.known(1)).isEmpty();
    }

    @Test
    void a_look_that_came_to_nobody_changes_nothing() {
        ring.seen(scan(false, more(1, 10)), 0);
        ring.seen(scan(false), 0);
        assertThat(ring.place()).isEqualTo(pair(1));
    }
}
