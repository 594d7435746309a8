package dev.ringfence.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Several who put events into one feed, in transactions that end in another order than they began, by commit or rollback; operators who put
 * deliveries back; and several readers who share its cursor. The books of both sides must agree.
 */
class FeedCampaignIT {
    private static final int RECORDERS = 4;
    private static final int READERS = 3;
    private static final int TRANSACTIONS = 60;

    private final FeedFixture feed = new FeedFixture();
    private final Set<Long> committed = ConcurrentHashMap.newKeySet();
    private final Collection<Long> consumed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger retries = new AtomicInteger();
    private final AtomicInteger beaten = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger overtaken = new AtomicInteger();
    private final AtomicInteger recording = new AtomicInteger(RECORDERS);
    private final AtomicInteger reading = new AtomicInteger(READERS);
    private final Semaphore open = new Semaphore(1);
    private volatile boolean over;

    @AfterEach
    void close() {
        feed.close();
    }

    @Test
    @Tag("PL-1")
    @Tag("PL-2")
    void every_committed_event_is_consumed_exactly_once() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Future<?>> recorders = new ArrayList<>();
        List<Future<?>> readers = new ArrayList<>();
        for (int i = 0; i < RECORDERS; i++) {
            Random dice = new Random(i);
            recorders.add(threads.submit(() -> record(dice)));
        }
        for (int i = 0; i < READERS; i++) {
            Random dice = new Random(100 + i);
            readers.add(threads.submit(() -> consume(dice)));
        }
        for (Future<?> recorder : recorders) {
            recorder.get(5, TimeUnit.MINUTES);
        }
        over = true;
        for (Future<?> reader : readers) {
            reader.get(5, TimeUnit.MINUTES);
        }
        threads.shutdown();

        assertThat(consumed).hasSize(committed.size() + retries.get());
        assertThat(Set.copyOf(consumed)).isEqualTo(committed);
        assertThat(feed.rows.database.number("select count(*) from deliveries where state <> 'delivered'"))
                .isZero();
        assertThat(retries.get()).as("put back").isPositive();
        assertThat(overtaken.get()).as("open while others came and went").isPositive();
        System.getLogger(FeedCampaignIT.class.getName())
                .log(
                        System.Logger.Level.INFO,
                        "feed campaign: {0} committed, {1} put back, {2} times beaten, {3} times overtaken",
                        committed.size(),
                        retries.get(),
                        beaten.get(),
                        overtaken.get());
    }

    private Void record(Random dice) throws Exception {
        try {
            recordAll(dice);
        } finally {
            recording.decrementAndGet();
        }
        return null;
    }

    private void recordAll(Random dice) throws Exception {
        for (int i = 0; i < TRANSACTIONS; i++) {
            try (Connection transaction = feed.open()) {
                List<Long> mine = new ArrayList<>();
                for (int n = dice.nextInt(4); n >= 0; n--) {
                    mine.add(feed.put(transaction));
                    LockSupport.parkNanos(dice.nextInt(3_000_000));
                }
                boolean putBack = dice.nextInt(5) == 0 && putBack(transaction);
                if (dice.nextInt(6) == 0) {
                    stayOpen();
                }
                LockSupport.parkNanos(dice.nextInt(4_000_000));
                if (dice.nextInt(5) == 0) {
                    transaction.rollback();
                } else {
                    transaction.commit();
                    committed.addAll(mine);
                    if (putBack) {
                        retries.incrementAndGet();
                    }
                }
            } catch (SQLException e) {
                // Two put the same delivery back: PostgreSQL lets one of them begin again, and so nothing of it was
                // committed.
                assertThat(e.getSQLState()).isEqualTo("40001");
            } finally {
                ended.incrementAndGet();
            }
        }
    }

    /**
     * Keeps a transaction open, one at a time, until one that began later has ended and the readers have read since: whoever moves the
     * cursor behind it now has skipped what this one commits.
     */
    private void stayOpen() {
        if (open.tryAcquire()) {
            try {
                // So many that one of the others has ended twice.
                boolean came = await(ended, RECORDERS);
                if (came && await(looks, 3 * READERS)) {
                    overtaken.incrementAndGet();
                }
            } finally {
                open.release();
            }
        }
    }

    /** Whether the count went on by so many; false where nobody is left to count, or a reader has failed. */
    private boolean await(AtomicInteger count, int more) {
        int before = count.get();
        while (count.get() < before + more) {
            if (recording.get() == 1 || reading.get() < READERS) {
                return false;
            }
            LockSupport.parkNanos(1_000_000);
        }
        return true;
    }

    /** Opens a new cycle of some delivery that was consumed and that nobody has in hand. */
    private static boolean putBack(Connection transaction) throws Exception {
        try (var statement = transaction.createStatement();
                var row = statement.executeQuery("select id from deliveries where state = 'delivered' limit 1"
                        + " for no key update skip locked")) {
            if (!row.next()) {
                return false;
            }
            FeedFixture.retry(transaction, row.getLong(1));
            return true;
        }
    }

    private Void consume(Random dice) {
        try {
            consumeAll(dice);
        } finally {
            reading.decrementAndGet();
        }
        return null;
    }

    private void consumeAll(Random dice) {
        boolean last = false;
        while (!last) {
            last = over;
            for (FeedPage page = take(dice); !page.items().isEmpty(); page = take(dice)) {
                last = false;
            }
        }
    }

    /** Whoever moves the cursor has consumed what it covers, and nobody else has. */
    private FeedPage take(Random dice) {
        FeedPage page = feed.read(null, 1 + dice.nextInt(20));
        LockSupport.parkNanos(dice.nextInt(2_000_000));
        if (!page.items().isEmpty()) {
            if (feed.advance(page.committed(), page.cursor()) instanceof Advance.Moved moved) {
                assertThat(moved.delivered()).isEqualTo(page.items().size());
                consumed.addAll(FeedFixture.ids(page));
            } else {
                beaten.incrementAndGet();
            }
        }
        looks.incrementAndGet();
        return page;
    }
}
