package dev.ringfence.job;

import dev.ringfence.time.NanoClock;
import jakarta.batch.api.chunk.AbstractItemWriter;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;

/** Writes what came of a flight. One whose endpoints are slow is left to {@link Stragglers}. */
@Named
@Dependent
public class DeliverWriter extends AbstractItemWriter {
    private static final Logger LOG = System.getLogger(DeliverWriter.class.getName());
    private static final Duration PATIENCE = Duration.ofMillis(100);

    /** A request is over within 10 s, so nothing is lost by looking no longer. */
    private static final Duration LONGEST = Duration.ofSeconds(15);

    private final Landing landing;
    private final Stragglers stragglers;
    private final NanoClock nanos;
    private final Duration longest;

    @Inject
    DeliverWriter(Landing landing, Stragglers stragglers, NanoClock nanos) {
        this(landing, stragglers, nanos, LONGEST);
    }

    DeliverWriter(Landing landing, Stragglers stragglers, NanoClock nanos, Duration longest) {
        this.landing = landing;
        this.stragglers = stragglers;
        this.nanos = nanos;
        this.longest = longest;
    }

    @Override
    public void writeItems(List<Object> items) throws InterruptedException {
        for (Object item : items) {
            land((Flight) item);
        }
    }

    private void land(Flight flight) throws InterruptedException {
        boolean ours = true;
        try {
            long began = nanos.nanos();
            if (stragglers.expects(flight) && stragglers.takeOver(flight)) {
                ours = false;
                return;
            }
            while (flight.open() > 0 && nanos.nanos() - began < longest.toNanos()) {
                landing.settleNext(flight, PATIENCE);
                if (flight.open() > 0 && nanos.nanos() - began > PATIENCE.toNanos() && stragglers.takeOver(flight)) {
                    ours = false;
                    return;
                }
            }
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "delivery: a flight of {0} is left to reconciliation: {1}",
                    flight.open(),
                    e.toString());
        } finally {
            if (ours) {
                landing.abandon(flight);
                flight.close();
            }
        }
    }
}
