package dev.ringfence.feed;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.CorrelationId;
import dev.ringfence.api.Responses;
import dev.ringfence.config.Settings;
import dev.ringfence.json.ProblemDocument;
import dev.ringfence.time.NanoClock;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.CompletionCallback;
import jakarta.ws.rs.core.Response;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests that wait for something to read (PL-3), bounded in number. While it waits, a request holds neither a thread nor a connection;
 * each look asks the database once for all of them.
 */
@ApplicationScoped
public class FeedPolls {
    private static final Logger LOG = System.getLogger(FeedPolls.class.getName());
    private static final int RETRY_AFTER_SECONDS = 1;

    /** Somebody works on the tenant exclusively: the next look tries again. */
    private static final String BUSY = "FENCE_TIMEOUT";

    /** Answers that are on their way at once: each may be a whole page, and its client slow to take it. */
    private static final int MOST_ON_THEIR_WAY = 4;

    private final Feeds feeds;
    private final FeedRepository rows;
    private final Settings settings;
    private final NanoClock nanos;
    private final ConcurrentLinkedQueue<Poll> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicInteger onTheirWay = new AtomicInteger();
    private volatile boolean stopped;

    @Inject
    public FeedPolls(Feeds feeds, FeedRepository rows, Settings settings, NanoClock nanos) {
        this.feeds = feeds;
        this.rows = rows;
        this.settings = settings;
        this.nanos = nanos;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    FeedPolls() {
        this(null, null, null, null);
    }

    /**
     * Takes a request that found nothing; it is answered when there is something, or its time is over.
     *
     * @throws ApiProblem 429 {@code TOO_MANY_POLLS}
     */
    void add(FeedQuery query, Feeds.Read before, AsyncResponse answer, String correlationId) {
        if (count.incrementAndGet() > settings.maxPolls()) {
            count.decrementAndGet();
            throw ApiProblem.tooMany(
                    "TOO_MANY_POLLS", "Too many requests wait on this node. Ask without waitMs.", RETRY_AFTER_SECONDS);
        }
        waiting.add(
                new Poll(query, before, answer, nanos.nanos() + query.patience().toNanos(), correlationId));
        if (stopped) {
            release();
        }
    }

    /** Requests that wait now. */
    public int waiting() {
        return count.get();
    }

    /**
     * Answers what can be answered. One look at a time: whoever comes meanwhile leaves it to the next, which is near.
     *
     * @param answers where answers are written, so that a client that is slow to take its own keeps nobody else waiting
     */
    public void look(Executor answers) {
        if (!waiting.isEmpty() && looking.compareAndSet(false, true)) {
            try {
                answerThoseWhoseTimeIsOver(answers);
                answerThoseThatHaveSomething(List.copyOf(waiting), answers);
            } finally {
                looking.set(false);
            }
        }
    }

    private void answerThoseWhoseTimeIsOver(Executor answers) {
        long now = nanos.nanos();
        for (Poll poll : waiting) {
            if (poll.until() - now <= 0) {
                answer(poll, poll.before(), page(poll, poll.before().page()), answers);
            }
        }
    }

    private void answerThoseThatHaveSomething(List<Poll> polls, Executor answers) {
        if (polls.isEmpty()) {
            return;
        }
        List<FeedRepository.Wish> wishes = new ArrayList<>();
        for (int i = 0; i < polls.size(); i++) {
            wishes.add(new FeedRepository.Wish(i, polls.get(i).before().from()));
        }
        for (int ready : rows.ready(wishes)) {
            if (onTheirWay.get() < MOST_ON_THEIR_WAY) {
                read(polls.get(ready), answers);
            }
        }
    }

    /** Answers that are on their way to their clients. */
    int onTheirWay() {
        return onTheirWay.get();
    }

    private void read(Poll poll, Executor answers) {
        try {
            Feeds.Read read = feeds.readWaited(poll.query());
            if (!read.empty()) {
                answer(poll, read, page(poll, read.page()), answers);
            }
        } catch (ApiProblem problem) {
            if (!problem.code().equals(BUSY)) {
                answer(poll, poll.before(), refusal(poll, problem), answers);
            }
        } catch (RuntimeException e) {
            LOG.log(
                    Level.DEBUG,
                    "a waiting request could not be answered, the next look tries again: {0}",
                    e.toString());
        }
    }

    /** The request's own context is not there any more, so what comes from it is put on the answer here. */
    Response page(Poll poll, FeedPage page) {
        Response answer = Responses.json(200, page);
        answer.getHeaders().putSingle(CorrelationId.HEADER, poll.correlationId());
        return answer;
    }

    private static Response refusal(Poll poll, ApiProblem problem) {
        ProblemDocument document = ProblemDocument.of(
                problem.status(), problem.code(), problem.detail(), problem.errors(), poll.correlationId());
        Response.ResponseBuilder answer = Response.status(problem.status())
                .type(ProblemDocument.MEDIA_TYPE)
                .entity(document.bytes())
                .header(CorrelationId.HEADER, poll.correlationId());
        problem.headers().forEach(answer::header);
        return answer.build();
    }

    private void answer(Poll poll, Feeds.Read read, Response response, Executor answers) {
        if (waiting.remove(poll)) {
            count.decrementAndGet();
            onTheirWay.incrementAndGet();
            try {
                answers.execute(() -> write(poll, read, response));
            } catch (RuntimeException stopping) {
                write(poll, read, response);
            }
        }
    }

    private void write(Poll poll, Feeds.Read read, Response response) {
        Runnable arrived = once(onTheirWay::decrementAndGet);
        if (!read.mayBeShown(nanos.nanos())) {
            // It waited for a thread, for so long that its tenant may have been redacted: it is read anew.
            arrived.run();
            count.incrementAndGet();
            waiting.add(poll);
            if (stopped) {
                release();
            }
            return;
        }
        boolean goes = false;
        try {
            poll.answer().register((CompletionCallback) error -> arrived.run());
            goes = poll.answer().resume(response);
        } catch (RuntimeException gone) {
            LOG.log(Level.DEBUG, "a waiting request is gone: {0}", gone.toString());
        }
        if (!goes) {
            arrived.run();
        }
    }

    private static Runnable once(Runnable work) {
        AtomicBoolean done = new AtomicBoolean();
        return () -> {
            if (done.compareAndSet(false, true)) {
                work.run();
            }
        };
    }

    /** Answers all that wait with what they know, and from now on every one at once. */
    @PreDestroy
    public void release() {
        stopped = true;
        waiting.forEach(
                poll -> answer(poll, poll.before(), page(poll, poll.before().page()), Runnable::run));
    }
}
