package dev.ringfence.wake;

import dev.ringfence.background.Background;
import dev.ringfence.feed.FeedPolls;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Answers requests that wait for something to read, on one thread of this node; signals that come meanwhile make one more look. */
@ApplicationScoped
public class FeedRunner {
    private static final Logger LOG = System.getLogger(FeedRunner.class.getName());

    private final FeedPolls polls;
    private final Background background;
    private final SignalLoop loop;

    @Inject
    public FeedRunner(FeedPolls polls, Background background) {
        this.polls = polls;
        this.background = background;
        this.loop = new SignalLoop(background, this::look);
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    FeedRunner() {
        this(null, null);
    }

    /** Deliveries were committed. Returns at once; costs nothing while nobody waits. */
    public void signal() {
        if (polls.waiting() > 0) {
            loop.signal();
        }
    }

    /** Looks now, on this thread. */
    void look() {
        try {
            polls.look(background::runBare);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "feeds: this look failed, the next follows: {0}", e.toString());
        }
    }
}
