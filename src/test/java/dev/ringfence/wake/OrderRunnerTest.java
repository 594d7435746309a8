package dev.ringfence.wake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.background.Background;
import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.job.DeliverySwitch;
import dev.ringfence.ordering.OrderSweep;
import dev.ringfence.ordering.OrderedKey;
import dev.ringfence.ordering.Releases;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class OrderRunnerTest {
    private static final Settings SETTINGS =
            Settings.from(Map.of("ringfence.secrets.key", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="));
    private static final OrderedKey KEY = new OrderedKey(new UUID(0, 1), "key");
    private static final int ROUNDS = 5;

    private final List<String> done = new ArrayList<>();
    private final AtomicReference<OrderRunner> runner = new AtomicReference<>();

    @Test
    @Tag("OB-5")
    void the_sweep_comes_also_where_there_is_always_something_told() {
        runner.set(new OrderRunner(
                new BusyReleases(),
                new NotedSweep(),
                null,
                new DeliverySwitch(SETTINGS),
                new OnTheSpot(),
                Clock.systemUTC()));

        runner.get().moved(List.of(KEY));

        assertThat(done).hasSize(ROUNDS);
        assertThat(done.indexOf("sweep")).as("%s", done).isBetween(1, ROUNDS - 2);
    }

    /** With each release more is told, and a beat comes. */
    private final class BusyReleases extends Releases {
        BusyReleases() {
            super(null, new DeliveryCounters());
        }

        @Override
        public int release(Collection<OrderedKey> queues, Instant now) {
            done.add("release");
            if (done.size() < ROUNDS) {
                runner.get().moved(queues);
            }
            if (done.size() == 1) {
                runner.get().beat();
            }
            return 0;
        }
    }

    private final class NotedSweep extends OrderSweep {
        NotedSweep() {
            super(null, Clock.systemUTC());
        }

        @Override
        public int sweep() {
            done.add("sweep");
            return 0;
        }
    }

    private static final class OnTheSpot extends Background {
        private boolean running;

        @Override
        public void run(Runnable work) {
            if (!running) {
                running = true;
                work.run();
                running = false;
            }
        }
    }
}
