package dev.ringfence.campaign;

import dev.ringfence.campaign.RaceChecker.Found;
import dev.ringfence.harness.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;

/**
 * Servers that record, deliver and redact the same tenants while they are killed, stopped and robbed of their sessions; beside them this
 * process, which records by SQL. What happened is read from two books afterwards.
 */
final class RedactionRace implements AutoCloseable {
    private static final Duration SETTLING = Duration.ofMinutes(5);

    /** Whose first byte has not left yet, as far as anybody can see, and which node it is to leave. */
    private static final String CONNECTING = """
            select t.tenant, d.reserved_by from deliveries_live d join tenant_lifecycle t on t.tenant_id = d.tenant_id
             where d.reservation_id is not null and d.url = ? and d.send_by > clock_timestamp() + interval '1 second'
             order by d.send_by desc limit 1
            """;

    private final long seed;
    private final TestDatabase database = TestDatabase.migrated();
    private final RaceJournal journal = new RaceJournal(database);
    private final RaceReceiver receiver;
    private final RaceNodes nodes;
    private final int tenantCount;
    private final List<RaceTenant> tenants = new ArrayList<>();
    private final Map<String, AtomicLong> tally = new ConcurrentSkipListMap<>();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private int randoms;

    /** What may be done to the race at one of its steps; tells what came of it, for the tally. */
    private interface Activity {
        String step(Random dice) throws SQLException;
    }

    RedactionRace(long seed, int servers, int tenantCount) {
        this.seed = seed;
        receiver = RaceReceiver.start(database, seed);
        nodes = new RaceNodes(database, servers);
        this.tenantCount = tenantCount;
    }

    /** Starts the nodes, races for that long, and then lets everything come to its end. */
    void run(Duration length, int kills) throws ExecutionException, InterruptedException, TimeoutException {
        nodes.start();
        String app = nodes.first().createApp("race");
        for (int i = 0; i < tenantCount; i++) {
            tenants.add(new RaceTenant(app, "shop-" + i, receiver));
        }
        ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(10);
        threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        try {
            for (int i = 0; i < 2; i++) {
                every(threads, 80, dice -> busy(dice).record(nodes.any(dice), dice));
            }
            every(threads, 300, this::recordBySql);
            every(threads, 100, this::settle);
            every(threads, 5_000, dice -> one(dice).redact(nodes.any(dice)));
            every(threads, 2_500, this::harm);
            every(threads, 2_500, dice -> ambush(threads, dice));
            every(threads, length.toMillis() / (kills + 1), dice -> {
                nodes.kill(dice);
                return "kill -9";
            });
            threads.schedule(() -> over.complete(null), length.toMillis(), TimeUnit.MILLISECONDS);
            over.get(length.toMillis() * 2, TimeUnit.MILLISECONDS);
        } finally {
            threads.shutdown();
            threads.awaitTermination(RaceNodes.LONGEST_START.toMillis(), TimeUnit.MILLISECONDS);
        }
        end();
    }

    /** Again and again, with dice of its own, so that a seed throws the same for each activity. */
    private void every(ScheduledExecutorService threads, long millis, Activity activity) {
        Random dice = new Random(seed + 31L * ++randoms);
        threads.scheduleWithFixedDelay(() -> step(activity, dice), millis, millis, TimeUnit.MILLISECONDS);
    }

    private void step(Activity activity, Random dice) {
        if (over.isDone()) {
            return;
        }
        try {
            count(activity.step(dice), 1);
        } catch (UncheckedIOException e) {
            count("node unreachable", 1);
        } catch (SQLException e) {
            count("sql " + e.getSQLState(), 1);
        } catch (RuntimeException | Error e) {
            over.completeExceptionally(e);
        }
    }

    private void count(String what, long more) {
        if (!what.isEmpty()) {
            tally.computeIfAbsent(what, w -> new AtomicLong()).addAndGet(more);
        }
    }

    /** How often something happened. */
    long counted(String what) {
        AtomicLong count = tally.get(what);
        return count == null ? 0 : count.get();
    }

    private RaceTenant one(Random dice) {
        return tenants.get(dice.nextInt(tenants.size()));
    }

    private String harm(Random dice) {
        int thrown = dice.nextInt(100);
        if (thrown < 40) {
            count("fence sessions ended", nodes.endFences(0.5, dice));
        } else if (thrown < 80) {
            count("pool sessions ended", nodes.endSessions("ringfence", 0.3, dice));
        } else {
            count("listeners ended", nodes.endSessions("ringfence-listener", 1.0, dice));
        }
        return "harm";
    }

    /**
     * A tenant is to be redacted just when a node that sends for it stands still, has lost its fence and cannot hear of it: what is left
     * to hold requests back is the clock. The narrow address makes such moments long enough to be found.
     */
    private String ambush(ScheduledExecutorService threads, Random dice) throws SQLException {
        try (Connection connection = database.connect();
                var statement = connection.prepareStatement(CONNECTING)) {
            statement.setString(1, receiver.narrowUrl().toString());
            try (var rows = statement.executeQuery()) {
                if (!rows.next()) {
                    return "";
                }
                String name = rows.getString(1);
                RaceTenant tenant = tenants.stream()
                        .filter(t -> t.name.equals(name))
                        .findFirst()
                        .orElseThrow();
                int ended = nodes.standStill(
                        rows.getString(2),
                        dice,
                        node -> threads.execute(() -> step(d -> "ambush: " + tenant.redact(node), dice)));
                count("fence sessions ended", ended);
                return ended == 0 ? "" : "stood still";
            }
        }
    }

    /** One that records, if there is any. */
    private RaceTenant busy(Random dice) {
        List<RaceTenant> settled =
                tenants.stream().filter(RaceTenant::isSettled).toList();
        return settled.isEmpty() ? one(dice) : settled.get(dice.nextInt(settled.size()));
    }

    private String settle(Random dice) {
        List<RaceTenant> open = tenants.stream().filter(t -> !t.isSettled()).toList();
        return open.isEmpty() ? "" : open.get(dice.nextInt(open.size())).settle(nodes.any(dice));
    }

    private String recordBySql(Random dice) throws SQLException {
        RaceTenant tenant = one(dice);
        String epoch = tenant.epoch();
        if (epoch.isEmpty()) {
            return "";
        }
        try (Connection connection = database.connect();
                var statement = connection.prepareStatement(
                        "select event_id from ringfence.record_event(?, ?, ?, clock_timestamp(), interval '250 ms', ?::jsonb)")) {
            statement.setObject(1, UUID.fromString(tenant.app));
            statement.setString(2, tenant.name);
            statement.setObject(3, UUID.fromString(epoch));
            statement.setString(4, tenant.event(epoch, dice).toString());
            statement.executeQuery().close();
            return "sql recorded";
        }
    }

    /** All redactions done, half of the tenants redacted once more, and nothing of the others in hand any more. */
    private void end() {
        awaitNone("redactions that are not done", "redactions where status <> 'DONE'");
        for (int i = 0; i < tenants.size(); i += 2) {
            RaceTenant tenant = tenants.get(i);
            Awaitility.await("a last redaction")
                    .atMost(SETTLING)
                    .ignoreException(UncheckedIOException.class)
                    .until(() -> tenant.redact(nodes.first()).startsWith("redact 202"));
        }
        awaitNone("last redactions", "redactions where status <> 'DONE'");
        awaitNone("events in hand", "outbox_events where status in ('PENDING', 'CLAIMED', 'FAILED_RETRYABLE')");
        awaitNone("deliveries in hand", "deliveries where state in ('pending', 'retrying')");
        count("redactions", database.number("select count(*) from redactions"));
        count("requests", receiver.count());
        count("requests that a sweep overtook", receiver.overtaken());
        count("unresolved markers", database.number("select count(*) from unresolved_markers"));
    }

    private void awaitNone(String what, String rows) {
        Awaitility.await("no " + what)
                .pollInterval(Duration.ofMillis(250))
                .atMost(SETTLING)
                .until(() -> database.number("select count(*) from " + rows) == 0);
    }

    /** Stops the nodes and checks the books; writes them down. */
    List<Found> check() {
        nodes.close();
        RaceHistory history = journal.read(receiver.arrivals(), receiver.sweeps());
        List<Found> found = RaceChecker.check(history);
        System.out.println("redaction race, seed " + seed + ": " + tally);
        write(history, found);
        return found;
    }

    private void write(RaceHistory history, List<Found> found) {
        List<String> lines = new ArrayList<>();
        lines.add("seed " + seed + " " + tally);
        for (List<?> part :
                List.of(found, history.versions(), history.arrivals(), history.reservations(), history.recorded())) {
            part.forEach(line -> lines.add(line.toString()));
        }
        lines.add("sweeps " + history.sweeps());
        lines.add("rows " + history.fenceRows());
        lines.add("markers " + history.markers());
        try {
            Files.write(Path.of("target", "redaction-race-" + seed + ".txt"), lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        nodes.close();
        receiver.close();
        database.close();
    }
}
