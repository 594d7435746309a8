package dev.ringfence.job;

import dev.ringfence.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;

/** Tells the other nodes that this one delivers, and learns from them which part of the work is its own (AD-6). */
@ApplicationScoped
public class Heartbeat {
    /** A node that was silent for so long has lost its share to the others. */
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private final NodeRepository repository;
    private final CandidateFeed feed;
    private final DeliveryJob job;
    private final Settings settings;
    private volatile boolean shared;

    @Inject
    public Heartbeat(NodeRepository repository, CandidateFeed feed, DeliveryJob job, Settings settings) {
        this.repository = repository;
        this.feed = feed;
        this.job = job;
        this.settings = settings;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Heartbeat() {
        this(null, null, null, null);
    }

    /** One beat, left out while no worker comes for work: a share that nobody works on would wait. Call it each second. */
    public void beat() {
        if (!job.running() || !feed.asked()) {
            return;
        }
        repository.beat(settings.node());
        List<String> alive = repository.alive(SILENCE);
        int rank = alive.indexOf(settings.node());
        shared = alive.size() > (rank < 0 ? 0 : 1);
        feed.share(rank < 0 ? NodeShare.ALL : new NodeShare(alive.size(), rank));
    }

    /** Whether another node delivers too, as far as the last beat saw. */
    public boolean shared() {
        return shared;
    }

    /** The last one. */
    public void end() {
        repository.forget(settings.node());
    }
}
