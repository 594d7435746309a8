package dev.ringfence.wake;

import dev.ringfence.background.Background;
import dev.ringfence.config.Settings;
import dev.ringfence.fanout.Fanout;
import dev.ringfence.job.DeliverySwitch;
import dev.ringfence.outbox.EventAt;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the publisher on one thread of this node as long as there is work; signals that come meanwhile make one more run. Events that were
 * recorded here are leased by their keys, which costs a fraction of a look at all that is due, where they are few.
 */
@ApplicationScoped
public class FanoutRunner {
    private static final Logger LOG = System.getLogger(FanoutRunner.class.getName());

    private final Fanout fanout;
    private final DeliverySwitch delivery;
    private final SignalLoop loop;
    private final int most;
    private final List<EventAt> fresh = new ArrayList<>();
    private boolean lookAtAll;

    @Inject
    public FanoutRunner(Fanout fanout, DeliverySwitch delivery, Background background, Settings settings) {
        this.fanout = fanout;
        this.delivery = delivery;
        this.loop = new SignalLoop(background, this::publish);
        this.most = settings == null ? 0 : settings.fanoutBatch();
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    FanoutRunner() {
        this(null, null, null, null);
    }

    /** Events may wait for the publisher. Returns at once. */
    public void signal() {
        if (delivery.on()) {
            synchronized (fresh) {
                lookAtAll = true;
            }
            loop.signal();
        }
    }

    /** These wait for the publisher. Returns at once; what is more than a batch, a look at all that is due finds. */
    void recorded(List<EventAt> events) {
        if (delivery.on()) {
            synchronized (fresh) {
                if (lookAtAll || fresh.size() + events.size() > most) {
                    lookAtAll = true;
                } else {
                    fresh.addAll(events);
                }
            }
            loop.signal();
        }
    }

    /** Those to lease by their keys, empty where all that is due is to be looked at. */
    private List<EventAt> taken() {
        synchronized (fresh) {
            List<EventAt> taken = lookAtAll ? List.of() : List.copyOf(fresh);
            fresh.clear();
            lookAtAll = false;
            return taken;
        }
    }

    private void publish() {
        try {
            List<EventAt> keys = taken();
            if (!keys.isEmpty()) {
                fanout.runOnce(keys);
                return;
            }
            boolean more = true;
            while (more && delivery.on()) {
                more = fanout.runOnce().more();
            }
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "fan-out: this run failed, the next follows: {0}", e.toString());
        }
    }
}
