package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;

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
                    id, 1, new FenceKey(1), true, SUBSCRIPTION, 1L, 1, 0, Instant.EPOCH, "order.order.placed.v1"));
        }
        return candidates;
    }

    @Test
    @Tag("AT-1")
    void a_delivery_is_in_hand_once_and_counts_until_it_is_given_back() {
        assertThat(slots.take(candidates(10))).hasSize(10);
        assertThat(slots.take(candidates(10))).isEmpty();
        assertThat(slots.free()).isEqualTo(6);
        assertThat(slots.loads()).containsExactly(new ScanOrder.Load(SUBSCRIPTION, 10, Integer.MAX_VALUE));

        slots.free(List.of(0L, 1L, 1L, 99L));

        assertThat(slots.held()).isEqualTo(8);
        assertThat(slots.free()).isEqualTo(8);
    }

    @Test
    void a_node_begins_with_few_and_grows_with_the_answers() {
        assertThat(slots.free()).isEqualTo(16);
        for (int i = 0; i < 200; i++) {
            slots.behaved(SUBSCRIPTION, false);
        }
        assertThat(slots.free()).isEqualTo(100);
    }

    @Test
    void an_endpoint_that_hangs_keeps_few_slots_until_it_answers() {
        slots.behaved(SUBSCRIPTION, true);
        assertThat(slots.loads()).containsExactly(new ScanOrder.Load(SUBSCRIPTION, 0, 2));

        slots.behaved(SUBSCRIPTION, false);
        assertThat(slots.loads()).isEmpty();
    }

    @Test
    void what_was_lost_is_left_out_for_a_moment_also_where_the_clock_overflows() {
        slots.take(candidates(2));
        slots.shun(List.of(0L), Duration.ofMillis(1));
        slots.cool(List.of(7L), Duration.ofMillis(1));
        assertThat(slots.left()).containsExactlyInAnyOrder(0L, 1L);
        assertThat(slots.coolTenants()).containsExactly(7L);

        clock.now += 2_000_000;

        assertThat(slots.left()).containsExactly(1L);
        assertThat(slots.coolTenants()).isEmpty();
        assertThat(slots.waitingForAMoment()).isFalse();
    }

    @Test
    void stragglers_wait_beside_the_window() {
        slots.take(candidates(10));
        slots.straggling(10);
        assertThat(slots.free()).isEqualTo(16);
        slots.straggling(-10);
        assertThat(slots.free()).isEqualTo(6);
    }
}
