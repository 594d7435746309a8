package dev.ringfence.wake;

import dev.ringfence.background.Background;
import dev.ringfence.fanout.Fanout;
import dev.ringfence.job.DeliverySwitch;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Runs the publisher on one thread of this node as long as there is work; signals that come meanwhile make one more run. */
@ApplicationScoped
public class FanoutRunner {
    private static final Logger LOG = System.getLogger(FanoutRunner.class.getName());

    private final Fanout fanout;
    private final DeliverySwitch delivery;
    private final SignalLoop loop;

    @Inject
    public FanoutRunner(Fanout fanout, DeliverySwitch delivery, Background background) {
        this.fanout = fanout;
        this.delivery = delivery;
        this.loop = new SignalLoop(background, this::publish);
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    FanoutRunner() {
        this(null, null, null);
    }

    /** Events may wait for the publisher. Returns at once. */
    public void signal() {
        if (delivery.on()) {
            loop.signal();
        }
    }

    private void publish() {
        try {
            boolean more = true;
            while (more && delivery.on()) {
                more = fanout.runOnce().more();
            }
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "fan-out: this run failed, the next follows: {0}", e.toString());
        }
    }
}
