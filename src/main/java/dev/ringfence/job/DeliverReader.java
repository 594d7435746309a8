package dev.ringfence.job;

import dev.ringfence.time.NanoClock;
import jakarta.batch.api.chunk.AbstractItemReader;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads batches of due deliveries until its time is over or the feed stops; an idle while reads an empty batch. */
@Named
@Dependent
public class DeliverReader extends AbstractItemReader {
    /** An execution stays short, so that none is ever long or stale for those who look at it. */
    private static final Duration LIFE = Duration.ofMinutes(4);

    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final int IDLE_WAITS = 20;

    private final CandidateFeed feed;
    private final NanoClock nanos;
    private long end;

    @Inject
    DeliverReader(CandidateFeed feed, NanoClock nanos) {
        this.feed = feed;
        this.nanos = nanos;
    }

    @Override
    public void open(@Nullable Serializable checkpoint) {
        end = nanos.nanos() + LIFE.toNanos();
    }

    /** A batch; null ends the step. */
    @Override
    public @Nullable Object readItem() {
        for (int waits = 0; waits < IDLE_WAITS; waits++) {
            if (feed.stopped() || end - nanos.nanos() <= 0) {
                return null;
            }
            List<Candidate> batch = feed.take(WAIT);
            if (!batch.isEmpty()) {
                return batch;
            }
        }
        return List.of();
    }
}
