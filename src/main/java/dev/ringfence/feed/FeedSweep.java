package dev.ringfence.feed;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/** Ends what waits in the feed of a deleted subscription: it is never due, so no worker comes across it (SB-5). */
@ApplicationScoped
public class FeedSweep {
    private static final int CHUNK = 1_000;

    /** Then others have their turn. */
    private static final int MOST_CHUNKS = 50;

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

    /** A bounded part of it, in transactions of a thousand; how many. The next call goes on. */
    public int sweep() {
        int failed = 0;
        for (int chunk = 0; chunk < MOST_CHUNKS; chunk++) {
            int some = feeds.failGone(CHUNK);
            failed += some;
            if (some == 0) {
                break;
            }
        }
        return failed;
    }
}
