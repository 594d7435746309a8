package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.config.Settings;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.time.NanoClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SlotsTest {
    private static final UUID SUBSCRIPTION = UUID.randomUUID();
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** A clock that stands until it is moved. */
    private static final class Standing extends NanoClock {
        private long now = Long.MAX_VALUE - 10;

        @Override
        public long nanos() {
            return now;
        }
    }

    private final Standing clock = new Standing();
    private final Slots slots = new Slots(100, clock);

    private static List<Candidate> candidates(int count) {
        List<Candidate> candidates = new ArrayList<>();
        for (long id = 0; id < count; id++) {
            candidates.add(new Candidate(
                    id,
                    1,
                    new FenceKey(1),
                    true,
                    SUBSCRIPTION,
                    1L,
                    1,
                    0,
                    Instant.EPOCH,
                    "order.order.placed.v1",
                    null,
                    1_000,
                    false));
        }
        return candidates;
    }

    /** So that a lasting lack of ours writes few rows to its ledger. */
    @Test
    @Tag("AT-3")
    void what_was_not_begun_rests_longer_each_time_until_it_was() {
        List<Duration> rests = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            rests.add(rest());
        }
        assertThat(rests).startsWith(Duration.ofMillis(200), Duration.ofMillis(400), Duration.ofMillis(800));
        assertThat(rests)
                .endsWith(Duration.ofSeconds(30), Duration.ofSeconds(30))
                .isSorted();
        slots.free(List.of(0L));
        assertThat(rest()).isEqualTo(Duration.ofMillis(200));
    }

    /** How long it is left out. */
    private Duration rest() {
        take(candidates(1));
        slots.rest(List.of(0L), Duration.ofMillis(200));
        assertThat(slots.held()).isZero();
        Duration rested = Duration.ZERO;
        while (!slots.left().isEmpty()) {
            clock.now += Duration.ofMillis(100).toNanos();
            rested = rested.plusMillis(100);
        }
        return rested;
    }

    @Test
    @Tag("HT-5")
    void a_subscription_that_can_get_nothing_is_left_alone_for_a_moment() {
        slots.coolSubscriptions(List.of(SUBSCRIPTION), SECOND);
        assertThat(slots.loads()).containsExactly(new ScanOrder.Load(SUBSCRIPTION, 0, 0, null));
        clock.now += SECOND.toNanos();
        assertThat(slots.loads()).isEmpty();
    }

    @Test
    @Tag("AT-1")
    void a_delivery_is_in_hand_once_and_counts_until_it_is_given_back() {
        assertThat(take(candidates(10))).hasSize(10);
        assertThat(take(candidates(10))).isEmpty();
        assertThat(slots.free()).isEqualTo(6);
        assertThat(slots.loads()).containsExactly(new ScanOrder.Load(SUBSCRIPTION, 10, Integer.MAX_VALUE, null));

        slots.free(List.of(0L, 1L, 1L, 99L));

        assertThat(slots.held()).isEqualTo(8);
        assertThat(slots.free()).isEqualTo(8);
    }

    /** Bodies of what is in hand are in memory. */
    @Test
    @Tag("AT-1")
    void no_more_is_taken_in_hand_than_there_is_memory_for() {
        Slots small = new Slots(100, 10_000, clock);
        List<Candidate> taken =
                candidates(16).stream().filter(one -> small.take(one, 1)).toList();
        assertThat(taken).hasSize(10);
        assertThat(small.free()).isEqualTo(6);
        assertThat(small.spacious()).isFalse();
        assertThat(small.roomy()).isFalse();

        small.free(taken.subList(0, 4).stream().map(Candidate::id).toList());
        assertThat(small.roomy()).isFalse();
        small.putBack(List.of(4L));
        assertThat(small.roomy()).isTrue();
    }

    @Test
    @Tag("AT-1")
    void what_is_larger_than_the_memory_travels_alone() {
        Slots small = new Slots(100, 999, clock);
        assertThat(candidates(2).stream().filter(one -> small.take(one, 1))).hasSize(1);
    }

    @Test
    @Tag("AT-1")
    void what_has_departed_is_in_hand_and_needs_not_be_left_out() {
        take(candidates(3));
        slots.departed(List.of(0L, 1L));
        assertThat(slots.left()).containsExactly(2L);
        assertThat(slots.held()).isEqualTo(3);
        assertThat(take(candidates(3))).isEmpty();
        slots.free(List.of(0L, 2L));
        assertThat(slots.left()).isEmpty();
        assertThat(take(candidates(1))).hasSize(1);
        assertThat(slots.left()).containsExactly(0L);
    }

    @Test
    void while_little_is_free_looking_is_worth_it_now_and_then_only() {
        assertThat(slots.spacious()).isTrue();
        take(candidates(12));
        assertThat(slots.spacious()).isFalse();
        assertThat(slots.roomy()).isTrue();
        slots.free(List.of(0L));
        assertThat(slots.spacious()).isTrue();
    }

    @Test
    void a_node_begins_with_few_and_grows_with_the_answers() {
        assertThat(slots.free()).isEqualTo(16);
        for (int i = 0; i < 200; i++) {
            slots.behaved(SUBSCRIPTION, Pace.QUICK);
        }
        assertThat(slots.free()).isEqualTo(100);
    }

    @Test
    void an_endpoint_that_hangs_keeps_few_slots_until_it_answers() {
        slots.behaved(SUBSCRIPTION, Pace.HUNG);
        assertThat(slots.loads()).containsExactly(new ScanOrder.Load(SUBSCRIPTION, 0, 2, null));

        slots.behaved(SUBSCRIPTION, Pace.QUICK);
        assertThat(slots.loads()).isEmpty();
    }

    @Test
    void what_was_lost_is_left_out_for_a_moment_also_where_the_clock_overflows() {
        take(candidates(2));
        slots.shun(List.of(0L), Duration.ofMillis(1));
        slots.cool(List.of(7L), Duration.ofMillis(1));
        assertThat(slots.left()).containsExactlyInAnyOrder(0L, 1L);
        assertThat(slots.coolTenants()).containsExactly(7L);
        assertThat(slots.pause(SECOND)).isEqualTo(Duration.ofMillis(50));

        clock.now += 2_000_000;

        assertThat(slots.left()).containsExactly(1L);
        assertThat(slots.coolTenants()).isEmpty();
        assertThat(slots.pause(SECOND)).isEqualTo(SECOND);
    }

    @Test
    void nobody_looks_again_before_something_that_is_left_out_is_worth_it() {
        take(candidates(1));
        slots.rest(List.of(0L), Duration.ofSeconds(30));
        assertThat(slots.pause(SECOND)).isEqualTo(SECOND);
        slots.coolSubscriptions(List.of(SUBSCRIPTION), Duration.ofMillis(700));
        assertThat(slots.pause(SECOND)).isEqualTo(Duration.ofMillis(700));
        slots.cool(List.of(7L), Duration.ofMillis(400));
        assertThat(slots.pause(SECOND)).isEqualTo(Duration.ofMillis(400));
        assertThat(slots.pause(Duration.ofMillis(300))).isEqualTo(Duration.ofMillis(300));
        clock.now += 380_000_000L;
        assertThat(slots.pause(SECOND)).isEqualTo(Duration.ofMillis(50));
        clock.now += 30_000_000L;
        assertThat(slots.pause(SECOND)).as("over and not looked at yet").isEqualTo(Duration.ofMillis(50));
        assertThat(slots.coolTenants()).isEmpty();
        assertThat(slots.pause(SECOND)).isEqualTo(Duration.ofMillis(290));
    }

    @Test
    @Tag("HT-5")
    void an_endpoint_that_keeps_a_flight_waiting_travels_apart_until_it_was_quick_for_a_while() {
        assertThat(slots.lane(SUBSCRIPTION)).isEqualTo(Lane.QUICK);
        slots.dragging(List.of(SUBSCRIPTION));
        for (int i = 1; i < Lanes.PROOF; i++) {
            slots.behaved(SUBSCRIPTION, Pace.QUICK);
        }
        assertThat(slots.lane(SUBSCRIPTION)).isEqualTo(Lane.SLOW);
        slots.behaved(SUBSCRIPTION, Pace.SLOW);
        slots.behaved(SUBSCRIPTION, Pace.QUICK);
        assertThat(slots.lane(SUBSCRIPTION)).isEqualTo(Lane.SLOW);
        slots.behaved(SUBSCRIPTION, Pace.HUNG);
        assertThat(slots.lane(SUBSCRIPTION)).isEqualTo(Lane.HANGING);
        for (int i = 1; i < Lanes.PROOF; i++) {
            slots.behaved(SUBSCRIPTION, Pace.QUICK);
        }
        assertThat(slots.lane(SUBSCRIPTION)).isEqualTo(Lane.QUICK);
    }

    @Test
    @Tag("HT-5")
    void flights_of_slow_endpoints_are_few_and_over_when_nothing_of_them_is_in_hand() {
        slots.dragging(List.of(SUBSCRIPTION));
        List<Candidate> all = candidates(8);
        take(all);
        for (int i = 0; i < Lane.SLOW.flights(); i++) {
            assertThat(slots.open(Lane.SLOW)).isTrue();
            assertThat(slots.loads()).containsExactly(new ScanOrder.Load(SUBSCRIPTION, 8, Integer.MAX_VALUE, null));
            slots.begin(Lane.SLOW, all.subList(2 * i, 2 * i + 2));
        }
        assertThat(slots.open(Lane.SLOW)).isFalse();
        assertThat(slots.open(Lane.HANGING)).isTrue();
        assertThat(slots.loads()).containsExactly(new ScanOrder.Load(SUBSCRIPTION, 8, 0, null));
        assertThat(slots.apart(List.of(0L, 99L))).isTrue();
        assertThat(slots.apart(List.of(7L))).isFalse();

        slots.free(List.of(0L));
        assertThat(slots.open(Lane.SLOW)).isFalse();
        slots.shun(List.of(1L), Duration.ofMillis(1));
        assertThat(slots.open(Lane.SLOW)).isTrue();
    }

    @Test
    @Tag("HT-5")
    void nothing_slow_begins_that_nobody_could_take_over() {
        slots.dragging(List.of(SUBSCRIPTION));
        slots.takenOver(Settings.STRAGGLERS);
        assertThat(slots.open(Lane.SLOW)).isFalse();
        assertThat(slots.open(Lane.QUICK)).isTrue();
        assertThat(slots.loads()).containsExactly(new ScanOrder.Load(SUBSCRIPTION, 0, 0, null));
        slots.takenOver(-1);
        assertThat(slots.open(Lane.SLOW)).isTrue();
    }

    @Test
    void quick_flights_are_not_counted() {
        List<Candidate> all = candidates(100);
        take(all);
        all.forEach(one -> slots.begin(Lane.QUICK, List.of(one)));
        assertThat(slots.open(Lane.QUICK)).isTrue();
        assertThat(slots.apart(List.of(1L))).isFalse();
    }

    @Test
    @Tag("SB-7")
    void a_rate_is_shared_by_the_nodes_and_a_burst_is_one_second_long() {
        assertThat(take(limited(0, 5), 2)).as("begins with one").hasSize(1);
        assertThat(take(limited(1, 5), 2)).isEmpty();
        assertThat(slots.loads()).containsExactly(new ScanOrder.Load(SUBSCRIPTION, 1, Integer.MAX_VALUE, 1));
        assertThat(slots.pause(SECOND)).isEqualTo(Duration.ofMillis(200));

        clock.now += 500_000_000L;
        assertThat(slots.loads())
                .as("10 a second on two nodes")
                .containsExactly(new ScanOrder.Load(SUBSCRIPTION, 1, Integer.MAX_VALUE, 2));
        assertThat(take(limited(1, 5), 2)).hasSize(2);

        clock.now += 900_000_000L;
        assertThat(take(limited(10, 20), 2)).as("a share of 5 a second").hasSize(5);
        clock.now += 60_000_000_000L;
        assertThat(slots.pause(SECOND)).isEqualTo(SECOND);
        assertThat(take(limited(40, 20), 2)).as("a full bucket is forgotten").hasSize(1);
    }

    @Test
    @Tag("SB-7")
    void what_is_in_hand_already_takes_nothing_of_the_rate() {
        assertThat(take(limited(0, 1), 1)).hasSize(1);
        clock.now += 100_000_000L;
        assertThat(take(limited(0, 1), 1)).isEmpty();
        assertThat(take(limited(1, 1), 1)).hasSize(1);
    }

    @Test
    @Tag("SB-7")
    void of_rate_and_lane_the_smaller_one_counts() {
        clock.now = 0;
        take(limited(0, 1), 1);
        clock.now += 900_000_000L;
        assertThat(slots.loads()).containsExactly(new ScanOrder.Load(SUBSCRIPTION, 1, Integer.MAX_VALUE, 9));
        slots.behaved(SUBSCRIPTION, Pace.HUNG);
        assertThat(slots.loads()).as("while it hangs").containsExactly(new ScanOrder.Load(SUBSCRIPTION, 1, 2, 9));
        slots.takenOver(Settings.STRAGGLERS);
        assertThat(slots.loads())
                .as("while its lane is closed")
                .containsExactly(new ScanOrder.Load(SUBSCRIPTION, 1, 0, 9));
    }

    @Test
    @Tag("SB-7")
    void what_ends_without_a_request_and_what_is_put_back_take_nothing_of_the_rate() {
        List<Candidate> ending = limited(0, 5).stream()
                .map(one -> new Candidate(
                        one.id(),
                        1,
                        one.fenceKey(),
                        true,
                        SUBSCRIPTION,
                        1L,
                        1,
                        0,
                        Instant.EPOCH,
                        one.eventName(),
                        one.perSecond(),
                        1_000,
                        true))
                .toList();
        assertThat(take(ending)).hasSize(5);
        slots.shun(List.of(0L, 1L), Duration.ofMillis(1));
        slots.putBack(List.of(2L));
        assertThat(take(limited(10, 3))).as("the one that it begins with").hasSize(1);
        assertThat(take(limited(20, 3))).isEmpty();

        slots.putBack(List.of(10L));
        assertThat(take(limited(20, 3)))
                .as("in the place of the one that was put back")
                .hasSize(1);
        slots.free(List.of(20L));
        assertThat(take(limited(30, 3))).as("that one was sent").isEmpty();
    }

    @Test
    @Tag("SB-7")
    void a_low_rate_is_no_reason_to_look_before_its_next_request() {
        clock.now = 0;
        Candidate one = candidates(1).get(0);
        slots.take(
                new Candidate(
                        1,
                        1,
                        one.fenceKey(),
                        true,
                        SUBSCRIPTION,
                        1L,
                        1,
                        0,
                        Instant.EPOCH,
                        one.eventName(),
                        0.01,
                        1_000,
                        false),
                1);
        assertThat(slots.pause(SECOND)).isEqualTo(SECOND);
        clock.now += 99_300_000_000L;
        assertThat(slots.pause(SECOND)).isBetween(Duration.ofMillis(700), Duration.ofMillis(701));
        clock.now += 690_000_000L;
        assertThat(slots.pause(SECOND)).as("soon").isEqualTo(Duration.ofMillis(50));
        assertThat(slots.pause(Duration.ofMillis(20))).isEqualTo(Duration.ofMillis(20));
    }

    /** @return those that were taken */
    private List<Candidate> take(List<Candidate> candidates, int nodes) {
        return candidates.stream()
                .filter(candidate -> slots.take(candidate, nodes))
                .toList();
    }

    private List<Candidate> take(List<Candidate> candidates) {
        return take(candidates, 1);
    }

    private static List<Candidate> limited(long first, int count) {
        List<Candidate> candidates = new ArrayList<>();
        for (long id = first; id < first + count; id++) {
            candidates.add(new Candidate(
                    id,
                    1,
                    new FenceKey(1),
                    true,
                    SUBSCRIPTION,
                    1L,
                    1,
                    0,
                    Instant.EPOCH,
                    "order.order.placed.v1",
                    10.0,
                    1_000,
                    false));
        }
        return candidates;
    }

    @Test
    void stragglers_wait_beside_the_window() {
        take(candidates(10));
        slots.straggling(10);
        assertThat(slots.free()).isEqualTo(16);
        slots.straggling(-10);
        assertThat(slots.free()).isEqualTo(6);
    }
}
