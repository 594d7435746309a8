package dev.ringfence.wake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.background.Background;
import dev.ringfence.config.Settings;
import dev.ringfence.fanout.Fanout;
import dev.ringfence.fanout.FanoutResult;
import dev.ringfence.job.DeliverySwitch;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
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
        FanoutRunner runner = new FanoutRunner(fanout, new DeliverySwitch(SETTINGS), new OnTheSpot());

        runner.signal();
        runner.signal();

        assertThat(runs).hasValue(2);
    }

    private static final class OnTheSpot extends Background {
        @Override
        public void run(Runnable work) {
            work.run();
        }
    }
}
