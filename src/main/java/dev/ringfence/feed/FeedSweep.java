package dev.ringfence.feed;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/** Ends what waits in the feed of a deleted subscription: it is never due, so no worker comes across it (SB-5). */
@ApplicationScoped
public class FeedSweep {
    private static final int CHUNK = 1_000;

    private final FeedRepository feeds;

    @Inject
    public FeedSweep(FeedRepository feeds) {
        this.feeds = feeds;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    FeedSweep() {
        this(null);
    }

    /** Some of it, in a transaction of its own; how many. The next call goes on. */
    public int sweep() {
        return feeds.failGone(CHUNK);
    }
}
