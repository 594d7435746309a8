package dev.ringfence.wake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.background.Background;
import dev.ringfence.config.Settings;
import dev.ringfence.fanout.Fanout;
import dev.ringfence.fanout.FanoutResult;
import dev.ringfence.job.DeliverySwitch;
import dev.ringfence.outbox.EventAt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FanoutRunnerTest {
    private static final Settings SETTINGS =
            Settings.from(Map.of("ringfence.secrets.key", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="));

    @Test
    @Tag("OB-2")
    void a_run_that_ends_in_an_error_does_not_end_fan_out() {
        AtomicInteger runs = new AtomicInteger();
        Fanout fanout = new Fanout() {
            @Override
            public FanoutResult runOnce() {
                if (runs.incrementAndGet() == 1) {
                    throw new NoClassDefFoundError("broken once");
                }
                return new FanoutResult(0, 0, 0, false);
            }
        };
        FanoutRunner runner = new FanoutRunner(fanout, new DeliverySwitch(SETTINGS), new OnTheSpot(), SETTINGS);

        runner.signal();
        runner.signal();

        assertThat(runs).hasValue(2);
    }

    /** What is asked of fan-out, in turns. */
    private static final class Asked extends Fanout {
        private final List<Integer> keys = new ArrayList<>();

        @Override
        public FanoutResult runOnce() {
            keys.add(0);
            return new FanoutResult(0, 0, 0, false);
        }

        @Override
        public FanoutResult runOnce(List<EventAt> events) {
            keys.add(events.size());
            return new FanoutResult(events.size(), events.size(), 0, false);
        }
    }

    private static List<EventAt> events(int count) {
        return LongStream.range(0, count)
                .mapToObj(ordinal -> new EventAt(ordinal, Instant.EPOCH))
                .toList();
    }

    @Test
    @Tag("OB-2")
    void few_recorded_events_are_leased_by_their_keys_and_many_by_a_look() {
        Asked asked = new Asked();
        List<Runnable> later = new ArrayList<>();
        Background background = new Background() {
            @Override
            public void run(Runnable work) {
                later.add(work);
            }
        };
        FanoutRunner runner = new FanoutRunner(asked, new DeliverySwitch(SETTINGS), background, SETTINGS);

        runner.recorded(events(2));
        runner.recorded(events(3));
        later.remove(0).run();
        runner.recorded(events(SETTINGS.fanoutBatch()));
        runner.recorded(events(1));
        later.remove(0).run();
        runner.recorded(events(1));
        runner.signal();
        later.remove(0).run();
        runner.recorded(events(1));
        later.remove(0).run();

        assertThat(asked.keys).containsExactly(5, 0, 0, 1);
    }

    private static final class OnTheSpot extends Background {
        @Override
        public void run(Runnable work) {
            work.run();
        }
    }
}
