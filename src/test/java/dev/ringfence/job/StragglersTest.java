package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.background.Background;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.fence.NoFence;
import dev.ringfence.receipt.Attempted;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.subscription.Semantics;
import dev.ringfence.time.NanoClock;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.SendResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whose flights are taken over; here they land only when the test says so. */
class StragglersTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private final NanoClock nanos = new NanoClock();
    private final Slots slots = new Slots(100, nanos);
    private final List<Runnable> takenOver = new ArrayList<>();
    private final Stragglers stragglers = new Stragglers(new AtOnce(), slots, nanos, new Later());
    private long nextId = 1;

    private final class Later extends Background {
        @Override
        public void run(Runnable work) {
            takenOver.add(work);
        }
    }

    /** Settles whatever has been answered. */
    private static final class AtOnce extends Landing {
        @Override
        int settleNext(Flight flight, Duration wait) throws InterruptedException {
            List<Answer> answers = flight.take(wait, Duration.ZERO, 64);
            flight.settled(answers);
            return answers.size();
        }

        @Override
        void abandon(Flight flight) {
            assertThat(flight.open()).isZero();
        }
    }

    /** A flight of one delivery, whose answer is there. */
    private Flight flight(Lane lane) {
        long id = nextId++;
        UUID subscription = UUID.randomUUID();
        Candidate candidate = new Candidate(
                id, 1, new FenceKey(1), true, subscription, 1L, 1, 0, NOW, "order.order.placed.v1", null, 1_000, false);
        assertThat(slots.take(candidate, 1)).isTrue();
        slots.begin(lane, List.of(candidate));
        Flight flight = new Flight(NoFence.shared(), Map.of(), nanos);
        Reserved reserved = new Reserved(
                id,
                NOW,
                1,
                UUID.randomUUID(),
                subscription,
                UUID.randomUUID(),
                1,
                1,
                1,
                NOW,
                NOW,
                "msg_" + id,
                "http://example.test/",
                null,
                null,
                new byte[0],
                false,
                false);
        RetryPolicy retry = new RetryPolicy(List.of(60), 0, 6);
        Attempted attempted =
                new Attempted(reserved, retry, List.of(), Semantics.AT_LEAST_ONCE, 6, Duration.ofHours(24));
        flight.expect(attempted);
        flight.answered(attempted, new SendResult.Uncertain(OutcomeCode.TIMEOUT, null, null));
        return flight;
    }

    @Test
    @Tag("HT-5")
    void flights_of_endpoints_that_are_not_known_to_be_slow_leave_room_for_those_that_are() {
        for (int i = 0; i < Stragglers.MOST_OTHERS; i++) {
            assertThat(stragglers.takeOver(flight(Lane.QUICK))).isTrue();
        }
        assertThat(stragglers.takeOver(flight(Lane.QUICK))).isFalse();
        assertThat(slots.open(Lane.SLOW)).isTrue();
        assertThat(stragglers.takeOver(flight(Lane.SLOW))).isTrue();
        assertThat(slots.open(Lane.HANGING)).isTrue();
        assertThat(stragglers.takeOver(flight(Lane.HANGING))).isTrue();
        assertThat(stragglers.takeOver(flight(Lane.SLOW))).as("all in all").isFalse();

        takenOver.forEach(Runnable::run);

        for (int i = 0; i < Stragglers.MOST_OTHERS; i++) {
            assertThat(stragglers.takeOver(flight(Lane.QUICK))).as("again").isTrue();
        }
    }

    @Test
    @Tag("HT-5")
    void what_no_flight_of_slow_endpoints_uses_is_not_given_to_others_beyond_their_share() {
        for (int i = 0; i < Stragglers.MOST - 1; i++) {
            assertThat(stragglers.takeOver(flight(Lane.SLOW))).isTrue();
        }
        assertThat(stragglers.takeOver(flight(Lane.QUICK)))
                .as("one is left for an endpoint that was quick until now")
                .isTrue();
        assertThat(stragglers.takeOver(flight(Lane.QUICK))).isFalse();
        takenOver.subList(0, Stragglers.MOST - 1).forEach(Runnable::run);
        assertThat(stragglers.takeOver(flight(Lane.QUICK)))
                .as("its refusal took nothing")
                .isTrue();
        assertThat(stragglers.takeOver(flight(Lane.QUICK))).isTrue();
        assertThat(stragglers.takeOver(flight(Lane.QUICK))).isFalse();
    }
}
