package dev.ringfence.config;

import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Every setting of the installation, already validated (AD-2). The property is named at each component; see
 * {@code docs/operations.md} for what they are good for.
 *
 * @param bootstrapAdminKey {@code ringfence.bootstrap.admin-key}: the first admin key, taken only while no key exists
 * @param schemaMigrate {@code ringfence.schema.migrate}: bring the schema up to date at start
 * @param secretsKey {@code ringfence.secrets.key}: base64 of the 32 bytes that encrypt secrets at rest (SC-2)
 * @param egressAllow {@code ringfence.egress.allow}: CIDRs and host names that the destination guard opens (HT-4)
 * @param egressProxy {@code ringfence.egress.proxy}: the proxy through which every request leaves, with its credentials
 * @param egressHttp2 {@code ringfence.egress.http2}: whether receivers are offered HTTP/2 (HT-1)
 * @param maxSkew {@code ringfence.clock.max-skew-ms}: largest clock skew at which enrolment and recording go on (LC-6)
 * @param deliveryEnabled {@code ringfence.delivery.enabled}: whether this node delivers
 * @param deliveryWorkers {@code ringfence.delivery.workers}: chunk partitions of this node
 * @param deliveryWindow {@code ringfence.delivery.window}: deliveries of one chunk
 * @param maxAttempts {@code ringfence.delivery.max-attempts}: ceiling of attempts per cycle (DL-2)
 * @param maxAge {@code ringfence.delivery.max-age}: ceiling of a cycle's age (DL-2)
 * @param waits {@code ringfence.delivery.waits}: default waits between attempts (DL-2)
 * @param poll {@code ringfence.delivery.poll-ms}: period of the timer that looks for due work
 * @param reconcileGrace {@code ringfence.delivery.reconcile-grace-ms}: time past the lease before an attempt counts as
 *     abandoned (AT-5)
 * @param fenceTimeout {@code ringfence.fence.timeout-ms}: longest wait for a tenant's fence (FN-3)
 * @param fanoutBatch {@code ringfence.fanout.batch}: events claimed at once (OB-2)
 * @param fanoutLease {@code ringfence.fanout.lease-ms}: lease of a claim (OB-2)
 * @param maxWaiting {@code ringfence.recording.max-waiting}: bound of waiting push deliveries per tenant (RC-10)
 * @param maxPolls {@code ringfence.feed.max-polls}: most requests that wait on this node for something to read (PL-3)
 * @param transactionAlarm {@code ringfence.transactions.alarm-after}: age of the oldest open transaction that is an alarm (PL-3)
 * @param retentionFinished {@code ringfence.retention.finished}: how long finished deliveries and their attempts are kept (RT-1)
 * @param retentionEvents {@code ringfence.retention.events}: how long events are kept, never shorter than those (RT-1)
 * @param node {@code ringfence.node}: name of this process, unique among the nodes of one database
 */
public record Settings(
        Optional<SecretValue> bootstrapAdminKey,
        boolean schemaMigrate,
        SecretValue secretsKey,
        List<String> egressAllow,
        Optional<SecretValue> egressProxy,
        boolean egressHttp2,
        Duration maxSkew,
        boolean deliveryEnabled,
        int deliveryWorkers,
        int deliveryWindow,
        int maxAttempts,
        Duration maxAge,
        List<Duration> waits,
        Duration poll,
        Duration reconcileGrace,
        Duration fenceTimeout,
        int fanoutBatch,
        Duration fanoutLease,
        long maxWaiting,
        int maxPolls,
        Duration transactionAlarm,
        Duration retentionFinished,
        Duration retentionEvents,
        String node) {

    /** Batches whose slow endpoints are waited for without a worker, besides one batch for each worker. */
    public static final int STRAGGLERS = 5;

    /** Ceiling of {@link #mostInFlight()}: each request is a connection. */
    private static final int MOST_IN_FLIGHT = 4_096;

    private static final int USUAL_WINDOW = 250;

    /** Credentials are percent-encoded, so that the host begins after the only {@code @}. */
    private static final Pattern PROXY = Pattern.compile("http://(?:[!-~&&[^@/:?#\\[\\]]]+:[!-~&&[^@/:?#\\[\\]]]*@)?"
            + "(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+]):([1-9][0-9]{0,4})/?");

    private static final Duration MAX_AGE_CEILING = Duration.ofDays(30);

    /** The database keeps the present week and the last one in any case. */
    private static final Duration SHORTEST_RETENTION = Duration.ofDays(14);

    private static final Duration LONGEST_RETENTION = Duration.ofDays(36_500);
    private static final int SECRETS_KEY_BYTES = 32;
    private static final int ADMIN_KEY_CHARS = 32;
    private static final int MAX_PORT = 65_535;

    /** Stragglers, exclusive fences, one that listens, one that tells, and two for migration, partitions, retention and what looks at locks. */
    private static final int PINNED_BESIDES_WORKERS = STRAGGLERS + 7;

    /** What takes a connection for its transactions besides the workers: stragglers, the publisher, four timers, and four requests at least. */
    private static final int JTA_BESIDES_WORKERS = STRAGGLERS + 1 + 4 + 4;

    /**
     * Reads and validates all settings.
     *
     * @param source answers the text of a property by its name, or empty where it is not set
     * @throws InvalidSettings naming every property that cannot be used
     */
    public static Settings from(Function<String, Optional<String>> source) {
        SettingReader read = new SettingReader(source);
        Duration maxAge = read.duration(
                "ringfence.delivery.max-age", Duration.ofHours(24), Duration.ofSeconds(1), MAX_AGE_CEILING);
        int workers = (int) read.number("ringfence.delivery.workers", 3, 1, 16);
        Duration finished = read.duration(
                "ringfence.retention.finished", Duration.ofDays(90), SHORTEST_RETENTION, LONGEST_RETENTION);
        Settings settings = new Settings(
                bootstrapAdminKey(read),
                read.flag("ringfence.schema.migrate", true),
                secretsKey(read),
                read.list("ringfence.egress.allow", ""),
                egressProxy(read),
                read.flag("ringfence.egress.http2", true),
                read.millis("ringfence.clock.max-skew-ms", 1_000, 1, 60_000),
                read.flag("ringfence.delivery.enabled", true),
                workers,
                (int) read.number("ringfence.delivery.window", usualWindow(workers), 1, 1_000),
                (int) read.number("ringfence.delivery.max-attempts", 6, 1, 20),
                maxAge,
                waits(read, maxAge),
                read.millis("ringfence.delivery.poll-ms", 500, 10, 60_000),
                read.millis("ringfence.delivery.reconcile-grace-ms", 5_000, 0, 600_000),
                read.millis("ringfence.fence.timeout-ms", 2_000, 10, 30_000),
                (int) read.number("ringfence.fanout.batch", 500, 1, 5_000),
                read.millis("ringfence.fanout.lease-ms", 15_000, 1_000, 600_000),
                read.number("ringfence.recording.max-waiting", 100_000, 1, 1_000_000_000),
                (int) read.number("ringfence.feed.max-polls", 1_000, 0, 100_000),
                read.duration(
                        "ringfence.transactions.alarm-after",
                        Duration.ofMinutes(5),
                        Duration.ofSeconds(1),
                        Duration.ofDays(7)),
                finished,
                // a delivery that may be sent again needs its event
                read.duration("ringfence.retention.events", finished, finished, LONGEST_RETENTION),
                node(read));
        boundInFlight(read, settings);
        pools(read, settings.deliveryWorkers());
        read.failIfFaulty();
        return settings;
    }

    /** As {@link #from(Function)}, from a map: for programs and tests that have no MicroProfile Config. */
    public static Settings from(Map<String, String> values) {
        return from(name -> Optional.ofNullable(values.get(name)));
    }

    /** The 32 bytes of {@code ringfence.secrets.key}. */
    public byte[] secretsKeyBytes() {
        return Base64.getDecoder().decode(secretsKey.text());
    }

    /** Requests that this node may have in flight at once, over all workers and stragglers. */
    public int mostInFlight() {
        return (deliveryWorkers + STRAGGLERS) * deliveryWindow;
    }

    /** As large as pays; with many workers as large as they may all have. */
    private static int usualWindow(int workers) {
        return Math.min(USUAL_WINDOW, MOST_IN_FLIGHT / (workers + STRAGGLERS));
    }

    private static void boundInFlight(SettingReader read, Settings settings) {
        if (settings.mostInFlight() > MOST_IN_FLIGHT) {
            read.fault(
                    "ringfence.delivery.window",
                    Integer.toString(settings.deliveryWindow),
                    "at most " + MOST_IN_FLIGHT / (settings.deliveryWorkers + STRAGGLERS)
                            + " with ringfence.delivery.workers=" + settings.deliveryWorkers);
        }
    }

    /** The server's pools, whose sizes its configuration takes from the same properties. */
    private static void pools(SettingReader read, int workers) {
        atLeast(read, "ringfence.db.pool.max", 32, workers + JTA_BESIDES_WORKERS, workers);
        atLeast(read, "ringfence.db.pinned.pool.max", 28, workers + PINNED_BESIDES_WORKERS, workers);
        atLeast(read, "ringfence.batch.threads", 20, workers + 1, workers);
    }

    private static void atLeast(SettingReader read, String name, int fallback, int needed, int workers) {
        long size = read.number(name, fallback, 1, 10_000);
        if (size < needed) {
            read.fault(
                    name, Long.toString(size), "at least " + needed + " with ringfence.delivery.workers = " + workers);
        }
    }

    private static Optional<SecretValue> bootstrapAdminKey(SettingReader read) {
        String name = "ringfence.bootstrap.admin-key";
        Optional<String> key = read.text(name);
        key.filter(text -> text.length() < ADMIN_KEY_CHARS || !text.chars().allMatch(c -> c > ' ' && c < 127))
                .ifPresent(text -> read.secretFault(
                        name, "at least " + ADMIN_KEY_CHARS + " characters of visible ASCII without blanks"));
        return key.map(SecretValue::new);
    }

    private static Optional<SecretValue> egressProxy(SettingReader read) {
        String name = "ringfence.egress.proxy";
        Optional<String> url = read.text(name);
        url.filter(text -> !isProxy(text))
                .ifPresent(text -> read.secretFault(name, "http://[user:password@]host:port"));
        return url.map(SecretValue::new);
    }

    private static boolean isProxy(String text) {
        Matcher parts = PROXY.matcher(text);
        return parts.matches() && Integer.parseInt(parts.group(1)) <= MAX_PORT;
    }

    private static SecretValue secretsKey(SettingReader read) {
        String name = "ringfence.secrets.key";
        String permitted = "the base64 form of " + SECRETS_KEY_BYTES + " random bytes";
        Optional<String> key = read.text(name);
        if (key.isEmpty()) {
            read.missing(name, permitted);
        }
        key.filter(text -> !isKey(text)).ifPresent(text -> read.secretFault(name, permitted));
        return new SecretValue(key.orElse(""));
    }

    private static boolean isKey(String text) {
        try {
            return Base64.getDecoder().decode(text).length == SECRETS_KEY_BYTES;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static List<Duration> waits(SettingReader read, Duration maxAge) {
        String name = "ringfence.delivery.waits";
        List<Duration> waits = read.seconds(name, "60,300,1800,7200,21600", 604_800, 19);
        Duration sum = waits.stream().reduce(Duration.ZERO, Duration::plus);
        if (sum.compareTo(maxAge) >= 0) {
            read.fault(name, sum + " in total", "less than ringfence.delivery.max-age (" + maxAge + ") in total");
        }
        return waits;
    }

    private static String node(SettingReader read) {
        String name = "ringfence.node";
        String node = read.text(name).orElseGet(NodeName::generate);
        if (node.length() > 100 || !node.chars().allMatch(c -> c > ' ' && c < 127)) {
            read.fault(name, node, "1 to 100 characters of visible ASCII without blanks");
        }
        return node;
    }
}
