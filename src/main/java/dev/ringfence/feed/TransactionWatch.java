package dev.ringfence.feed;

import dev.ringfence.config.Settings;
import dev.ringfence.time.NanoClock;
import dev.ringfence.time.Seldom;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/**
 * Watches the oldest open transaction of the cluster (PL-3). While it is open, no feed shows what was put into it later, and vacuum cleans
 * up nothing of it, in any table; so it is an alarm once it is older than {@code ringfence.transactions.alarm-after}.
 */
@ApplicationScoped
public class TransactionWatch {
    private static final Logger LOG = System.getLogger(TransactionWatch.class.getName());

    private final TransactionRepository transactions;
    private final Settings settings;
    private final NanoClock nanos;
    private final Seldom said;
    private long held = -1;
    private long heldSince;
    private volatile OldestTransaction oldest = OldestTransaction.NONE;

    @Inject
    public TransactionWatch(TransactionRepository transactions, Settings settings, NanoClock nanos) {
        this.transactions = transactions;
        this.settings = settings;
        this.nanos = nanos;
        this.said = new Seldom(nanos, Duration.ofMinutes(1));
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    TransactionWatch() {
        this.transactions = null;
        this.settings = null;
        this.nanos = null;
        this.said = null;
    }

    /** What the last look saw. */
    public OldestTransaction oldest() {
        return oldest;
    }

    /** Looks once more. */
    public synchronized void look() {
        boolean before = oldest.alarm();
        OldestTransaction seen = judge(transactions.sample());
        oldest = seen;
        if (seen.alarm() && (!before || said.now())) {
            LOG.log(
                    Level.WARNING,
                    "oldest open transaction: {0} s, {1}, pid {2}. Feeds show nothing newer, and vacuum waits for it.",
                    seen.age().toSeconds(),
                    seen.kind(),
                    Integer.toString(seen.pid()));
        } else if (before && !seen.alarm()) {
            LOG.log(Level.INFO, "oldest open transaction: ended. Feeds go on.");
        }
    }

    private OldestTransaction judge(TransactionSample sample) {
        Duration unseen = holding(sample);
        OldestTransaction.Kind kind = OldestTransaction.Kind.NONE;
        Duration age = Duration.ZERO;
        if (sample.session().compareTo(age) > 0) {
            age = sample.session();
            kind = OldestTransaction.Kind.SESSION;
        }
        if (sample.prepared().compareTo(age) > 0) {
            age = sample.prepared();
            kind = OldestTransaction.Kind.PREPARED;
        }
        if (unseen.compareTo(age) > 0) {
            age = unseen;
            kind = OldestTransaction.Kind.UNSEEN;
        }
        int pid = kind == OldestTransaction.Kind.SESSION ? sample.pid() : 0;
        boolean alarm = age.compareTo(settings.transactionAlarm()) > 0;
        return new OldestTransaction(age, kind, pid, sample.slotTransactions(), alarm);
    }

    /** Since when the same transaction is the oldest while later ones have ended: what feeds are held back by, whoever has it. */
    private Duration holding(TransactionSample sample) {
        boolean holds = sample.oldest() < sample.next();
        if (!holds || sample.oldest() != held) {
            held = holds ? sample.oldest() : -1;
            heldSince = nanos.nanos();
        }
        return Duration.ofNanos(nanos.nanos() - heldSince);
    }
}
