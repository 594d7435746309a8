package peers;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Rows of the table of aims that concern Ringfence alone. Each prints a line a round. Options of all: rounds, and those of RingfencePeer.
 *
 * <p>ingest: events recorded over HTTP, delivery off. n (100000 in batches, 15000 single), clients (8), batch (both: 50 and 1).
 *
 * <p>scale: what a delivery costs in an empty system, with waiting rows, with finished ones; each state is a database of its own, filled
 * by SQL (fill=waiting|finished|empty, no round; needs a minute a million), kept, and measured later (states=empty,waiting,finished,empty:
 * a server a round; n=40000 recorded and delivered, after as many that do not count). millions (waiting 5, finished 10).
 *
 * <p>heap: n (1000000) deliveries due, made by SQL; serverHeap (512m); seconds (150) of delivering, every 10 s a full collection.
 *
 * <p>nodes: delay (100 ms at the receiver), window (20), workers (3): one node and two, in turns; seconds (20) counted after 8.
 *
 * <p>recovery: two nodes, both delivering (delay=100) while events are recorded at one; the other is killed as kill -9 does.
 *
 * <p>bloat: n (600000) due, made by SQL; seconds (200): in the second and third fifth a reader holds a repeatable read transaction open.
 *
 * <p>retention: weeks (4) past ones of perWeek (250000) finished deliveries, their attempts and events, each dropped as the server's own job does
 * it, while n (400000) due ones are delivered: how long it takes, and how many arrive in the second that begins with it against those around.
 */
public final class Rows {
    private final Options o;
    private final Path log;
    private final List<String> passed;
    private final Bench.Child receiver;

    private Rows(Options o, Path log, List<String> passed, Bench.Child receiver) {
        this.o = o;
        this.log = log;
        this.passed = passed;
        this.receiver = receiver;
    }

    public static void main(String[] args) throws Exception {
        Locale.setDefault(Locale.ROOT);
        Bench.endChildrenWithMe();
        Map<String, String> own = switch (args[0]) {
            case "heap" -> Map.of("serverHeap", "512m");
            case "nodes" -> Map.of("delay", "100", "window", "20", "inFlight", "100");
            case "recovery" -> Map.of("delay", "100", "inFlight", "100", "waits", "1,1,1,1,1");
            default -> Map.of();
        };
        Options o = new Options(args, 1).with(own);
        Path log = Path.of(o.text("work", "work"));
        Files.createDirectories(log);
        Bench.Child receiver = o.text("fill", "").isEmpty() ? Bench.receiver(o, log) : null;
        try {
            Rows rows = new Rows(o, log, Arrays.asList(args).subList(1, args.length), receiver);
            switch (args[0]) {
                case "ingest" -> rows.ingest();
                case "scale" -> rows.scale();
                case "heap" -> rows.heap();
                case "nodes" -> rows.nodes();
                case "recovery" -> rows.recovery();
                case "bloat" -> rows.bloat();
                case "retention" -> rows.retention();
                default -> throw new IllegalArgumentException(args[0]);
            }
        } finally {
            if (receiver != null) {
                receiver.process.destroy();
                receiver.process.waitFor(5, TimeUnit.SECONDS);
            }
        }
        System.exit(0);
    }

    private void ingest() throws Exception {
        Bench.freshDatabase(o);
        Bench.reset(o.receiver());
        int clients = o.number("clients", 8);
        RingfencePeer node = new RingfencePeer(o);
        try (Meter meter = new Meter(o, receiver.process.pid(), List.of(node.pid()), List.of(new Jvm(node.pid())))) {
            node.fill(0);
            int next = 0;
            int[] batches = Arrays.stream(o.text("batch", "50,1").split(",")).mapToInt(Integer::parseInt).toArray();
            for (int batch : batches) {
                int warm = batch > 1 ? 30_000 : 5_000;
                node.recorder(clients).record(next, warm, batch);
                next += warm;
            }
            for (int round = 1; round <= o.number("rounds", 2); round++) {
                for (int batch : batches) {
                    int n = o.number("n", batch > 1 ? 100_000 : 15_000);
                    Bench.checkpoint(o);
                    Bench.quiet(o);
                    Meter.Mark a = meter.mark();
                    Recorder.Result done = node.recorder(clients).record(next, n, batch);
                    Meter.Mark b = meter.mark();
                    next += n;
                    Map<String, Double> r = new LinkedHashMap<>();
                    r.put("batch", (double) batch);
                    r.put("perSecond", n / done.seconds());
                    r.put("requestsPerSecond", done.micros().getTotalCount() / done.seconds());
                    Bench.percentiles("request", done.micros(), r);
                    r.putAll(Meter.between(a, b, n));
                    Bench.report(log, "ingest", "batches of " + batch, passed, Integer.toString(round), r);
                }
            }
            long there = one("select count(*) from ringfence.outbox_events");
            if (there != next) throw new IllegalStateException(there + " events are there, " + next + " were answered");
        } finally {
            node.stop();
        }
    }

    private void scale() throws Exception {
        String fill = o.text("fill", "");
        if (!fill.isEmpty()) {
            fillScale(o.with(Map.of("jdbc", database("peers_" + fill))), fill);
            return;
        }
        Map<String, List<Map<String, Double>>> all = new LinkedHashMap<>();
        int round = 0;
        for (String state : o.text("states", "empty,waiting,finished,empty").split(",")) {
            Map<String, Double> r = scaleRound(o.with(Map.of("jdbc", database("peers_" + state))));
            all.computeIfAbsent(state, s -> new ArrayList<>()).add(r);
            Bench.report(log, "scale", state, passed, Integer.toString(++round), r);
        }
        Map<String, Double> sum = new LinkedHashMap<>();
        for (String state : all.keySet()) {
            if (state.equals("empty") || !all.containsKey("empty")) continue;
            for (String what : List.of("cpuMicrosEach", "workerMicrosEach", "postgresMicrosEach", "perSecond")) {
                sum.put(state + "Over" + what, mean(all.get(state), what) / mean(all.get("empty"), what));
            }
        }
        Bench.report(log, "scale", "ringfence", passed, "ratios", sum);
    }

    private static double mean(List<Map<String, Double>> rounds, String what) {
        return rounds.stream().mapToDouble(r -> r.get(what)).average().orElseThrow();
    }

    private String database(String name) {
        return o.jdbc().replaceFirst("/\\w+\\?", "/" + name + "?");
    }

    /** The tenant that is measured, its hundred subscriptions; five hundred other tenants with one each; and the rows. */
    private void fillScale(Options at, String state) throws Exception {
        Bench.freshDatabase(at);
        RingfencePeer node = new RingfencePeer(at);
        try {
            node.fill(0);
            if (!state.equals("empty")) {
                for (int i = 0; i < 500; i++) other(node, "other" + i, i);
            }
            try (Connection c = DriverManager.getConnection(at.jdbc()); Statement s = c.createStatement()) {
                s.execute("create table public.bench (app text, epoch text)");
                s.execute("insert into public.bench values ('" + node.app() + "', '" + node.epoch() + "')");
            }
        } finally {
            node.stop();
        }
        String own = "s.tenant_id = (select tenant_id from ringfence.tenant_lifecycle where tenant = 'bench')";
        String others = "s.tenant_id <> (select tenant_id from ringfence.tenant_lifecycle where tenant = 'bench')";
        try (Seed seed = new Seed(at)) {
            int million = 1_000_000;
            if (state.equals("waiting")) {
                int m = at.number("millions", 5) * million;
                // four tenths wait for another attempt at the measured tenant's endpoints, four at others', two are due and paused
                seed.waiting(own, 0, m * 2 / 5, 200, "at + interval '20 hours' + i * interval '10 milliseconds'");
                seed.waiting(others, 0, m * 2 / 5, 200, "at + interval '20 hours' + i * interval '10 milliseconds'");
                try (Connection c = DriverManager.getConnection(at.jdbc()); Statement s = c.createStatement()) {
                    s.execute("update ringfence.subscriptions s set status = 'PAUSED' where " + others
                            + " and s.tenant_id % 5 = 0");
                }
                seed.waiting(others + " and s.status = 'PAUSED'", 0, m / 5, 200, "at");
            } else if (state.equals("finished")) {
                int m = at.number("millions", 10) * million;
                seed.finished(own, 0, m / 2, 200);
                seed.finished(others, 0, m / 2, 200);
            }
        }
        Bench.settle(at);
    }

    private void other(RingfencePeer node, String tenant, int i) throws Exception {
        ObjectNode body = RingfencePeer.JSON.createObjectNode();
        body.putObject("session").put("id", "bench").put("authenticatedAt", Instant.now().toString());
        node.call("POST", "/apps/" + node.app() + "/tenants/" + tenant + "/enrolment", body, 200);
        ObjectNode s = RingfencePeer.JSON.createObjectNode().put("name", "hook").put("mode", "PUSH").put("url", o.receiver() + "/hook/other" + i);
        s.putArray("eventTypes").add("bench.hook.posted.v1");
        node.call("POST", "/apps/" + node.app() + "/tenants/" + tenant + "/subscriptions", s, 201);
    }

    private Map<String, Double> scaleRound(Options at) throws Exception {
        int n = at.number("n", 40_000);
        Bench.reset(at.receiver());
        RingfencePeer node = new RingfencePeer(at);
        try (Meter meter = new Meter(at, receiver.process.pid(), List.of(node.pid()), List.of(new Jvm(node.pid())))) {
            try (Connection c = DriverManager.getConnection(at.jdbc()); Statement s = c.createStatement();
                    ResultSet r = s.executeQuery("select app, epoch from public.bench")) {
                r.next();
                node.adopt(r.getString(1), r.getString(2));
            }
            node.connect();
            Meter.Mark a = null;
            for (int lot = 0; lot < 2; lot++) {
                node.recorder(8).record(lot * n, n, 50);
                Bench.checkpoint(at);
                if (lot == 1) Bench.quiet(at);
                a = meter.mark();
                node.start();
                long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(at.number("timeout", 300));
                Bench.awaitUnique(at, (lot + 1L) * n, limit, "ringfence");
                if (lot == 0) node.pause();
            }
            awaitNothingOpen(at);
            Meter.Mark b = meter.mark();
            Map<String, Double> r = new LinkedHashMap<>();
            r.put("perSecond", n * 1e9 / (b.nanos() - a.nanos()));
            r.putAll(Meter.between(a, b, n));
            r.put("cpuMicrosEach", r.get("workerMicrosEach") + r.get("postgresMicrosEach"));
            r.put("duplicates", (double) Bench.number(Bench.count(at.receiver()), "duplicates"));
            node.pause();
            return r;
        } finally {
            node.stop();
        }
    }

    /** The receipts of what has arrived. */
    private static void awaitNothingOpen(Options at) throws Exception {
        try (Connection c = DriverManager.getConnection(at.jdbc()); Statement s = c.createStatement()) {
            while (Bench.one(s, "select exists (select from ringfence.deliveries_live where reservation_id is not null)::int") > 0) Bench.pause();
        }
    }

    private void heap() throws Exception {
        int n = o.number("n", 1_000_000);
        Bench.freshDatabase(o);
        Bench.reset(o.receiver());
        RingfencePeer node = new RingfencePeer(o);
        try (Jvm jvm = new Jvm(node.pid())) {
            node.fill(0);
            try (Seed seed = new Seed(o)) {
                seed.waiting("true", 0, n, 1024, "at");
            }
            Bench.settle(o);
            double idle = jvm.usedAfterGc();
            Bench.quiet(o);
            long t0 = System.nanoTime();
            node.start();
            double most = 0;
            double last = 0;
            long seen = 0;
            List<Double> all = new ArrayList<>();
            while (System.nanoTime() - t0 < TimeUnit.SECONDS.toNanos(o.number("seconds", 150)) && seen < n) {
                Thread.sleep(10_000);
                last = jvm.usedAfterGc() / 1048576;
                all.add(last);
                most = Math.max(most, last);
                seen = Bench.number(Bench.count(o.receiver()), "unique");
            }
            Map<String, Double> r = new LinkedHashMap<>();
            r.put("waiting", (double) n);
            r.put("idleMiB", idle / 1048576);
            r.put("firstMiB", all.get(0));
            r.put("maxMiB", most);
            r.put("lastMiB", last);
            r.put("collections", (double) all.size());
            r.put("delivered", (double) seen);
            r.put("perSecond", seen * 1e9 / (System.nanoTime() - t0));
            r.put("outOfMemory", (double) node.logged("OutOfMemoryError"));
            r.put("duplicates", (double) Bench.number(Bench.count(o.receiver()), "duplicates"));
            Bench.report(log, "heap", "ringfence", passed, "1", r);
        } finally {
            node.stop();
        }
    }

    private void nodes() throws Exception {
        Bench.freshDatabase(o);
        Bench.reset(o.receiver());
        RingfencePeer one = new RingfencePeer(o, "bench-0");
        RingfencePeer two = new RingfencePeer(o, "bench-1");
        try (Meter meter = new Meter(o, receiver.process.pid(), List.of(one.pid(), two.pid()), List.of())) {
            one.fill(0);
            int n = o.number("n", 200_000);
            try (Seed seed = new Seed(o)) {
                seed.waiting("true", 0, n, 1024, "at");
            }
            Bench.settle(o);
            one.connect();
            two.connect();
            double[] sum = new double[2];
            int rounds = o.number("rounds", 4);
            for (int round = 1; round <= rounds; round++) {
                boolean both = round % 2 == 0;
                Bench.quiet(o);
                one.start();
                if (both) two.start();
                Thread.sleep(8_000);
                long before = Bench.number(Bench.count(o.receiver()), "unique");
                Meter.Mark a = meter.mark();
                Thread.sleep(o.number("seconds", 20) * 1000L);
                long seen = Bench.number(Bench.count(o.receiver()), "unique") - before;
                Meter.Mark b = meter.mark();
                if (before + seen >= n) throw new IllegalStateException("nothing left: take a larger n");
                one.pause();
                if (both) two.pause();
                Map<String, Double> r = new LinkedHashMap<>();
                r.put("nodes", both ? 2.0 : 1.0);
                r.put("perSecond", seen * 1e9 / (b.nanos() - a.nanos()));
                sum[both ? 1 : 0] += r.get("perSecond");
                r.putAll(Meter.between(a, b, seen));
                r.put("duplicates", (double) Bench.number(Bench.count(o.receiver()), "duplicates"));
                Bench.report(log, "nodes", "ringfence", passed, Integer.toString(round), r);
            }
            Bench.report(log, "nodes", "ringfence", passed, "ratio", Map.of("twoOverOne", sum[1] / (rounds / 2) / (sum[0] / ((rounds + 1) / 2))));
        } finally {
            one.stop();
            two.stop();
        }
    }

    private void recovery() throws Exception {
        for (int round = 1; round <= o.number("rounds", 2); round++) {
            Bench.freshDatabase(o);
            Bench.reset(o.receiver());
            RingfencePeer dies = new RingfencePeer(o, "bench-0");
            RingfencePeer lives = new RingfencePeer(o, "bench-1");
            try {
                lives.fill(0);
                dies.start();
                lives.start();
                Bench.report(log, "recovery", "ringfence", passed, Integer.toString(round), killed(dies, lives));
            } finally {
                if (dies.isAlive()) dies.stop();
                lives.stop();
            }
        }
    }

    private Map<String, Double> killed(RingfencePeer dies, RingfencePeer lives) throws Exception {
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<Integer> load = CompletableFuture.supplyAsync(() -> {
            int next = 0;
            try {
                while (!enough.get()) {
                    lives.recorder(2).record(next, 400, 50);
                    next += 400;
                    Thread.sleep(o.number("every", 400));
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            return next;
        });
        Thread.sleep(15_000);
        Map<String, Double> r = new LinkedHashMap<>();
        try (Connection c = DriverManager.getConnection(o.jdbc()); Statement s = c.createStatement()) {
            // the moment of the kill by the database's clock; at once whatever the node had open; and a little later, when its last commits are in
            s.execute("create table public.killed as select clock_timestamp() as at");
            dies.kill();
            Thread.sleep(500);
            s.execute("create table public.opened as select d.id, d.created_at, d.attempts, d.lease_until from ringfence.deliveries_live d"
                    + " where d.reserved_by = 'bench-0' and d.reservation_id is not null");
            s.execute("create table public.claimed as select e.ordinal, e.locked_until from ringfence.outbox_events e"
                    + " where e.status = 'CLAIMED' and e.locked_by like 'bench-0%'");
            r.put("openAttempts", (double) Bench.one(s, "select count(*) from public.opened"));
            r.put("claimedEvents", (double) Bench.one(s, "select count(*) from public.claimed"));
            r.put("leaseMsFromKill", seconds(s, "select max(o.lease_until) - max(k.at) from public.opened o, public.killed k"));
            long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
            while (Bench.one(s, "select (select count(*) from public.opened o join ringfence.delivery_attempts a on a.delivery_id = o.id"
                    + " and a.number = o.attempts and a.delivery_created_at = o.created_at where a.state = 'SENDING')"
                    + " + (select count(*) from public.claimed c join ringfence.outbox_events e using (ordinal) where e.status = 'CLAIMED'"
                    + " and e.locked_by like 'bench-0%')") > 0) {
                Bench.pause();
                if (System.nanoTime() > limit) throw new IllegalStateException("not taken over within 90 s");
            }
            String ended = " from public.opened o join ringfence.delivery_attempts a on a.delivery_id = o.id and a.number = o.attempts"
                    + " and a.delivery_created_at = o.created_at, public.killed k";
            r.put("takenOverMsFromKill", seconds(s, "select max(a.finished_at - k.at)" + ended));
            r.put("takenOverMsPastLease", seconds(s, "select max(a.finished_at - o.lease_until)" + ended));
            r.put("uncertain", (double) Bench.one(s, "select count(*) filter (where a.state = 'UNCERTAIN')" + ended));
            r.put("eventsMsPastLease", seconds(s, "select max(e.published_at - c.locked_until) from public.claimed c"
                    + " join ringfence.outbox_events e using (ordinal)"));
            while (Bench.one(s, "select count(*) from public.opened o where not exists (select from ringfence.delivery_attempts a"
                    + " where a.delivery_id = o.id and a.number > o.attempts)") > 0) {
                Bench.pause();
                if (System.nanoTime() > limit) throw new IllegalStateException("not sent again within 90 s");
            }
            r.put("lastSentAgainMsFromKill", seconds(s, "select max(a.started_at) - max(k.at) from public.opened o"
                    + " join ringfence.delivery_attempts a on a.delivery_id = o.id and a.number = o.attempts + 1, public.killed k"));
            enough.set(true);
            int recorded = load.get();
            Bench.awaitUnique(o, recorded, limit, "ringfence");
            Bench.awaitRecorded("ringfence", o, limit);
            r.put("uncertainOfOthers", (double) one("select count(*) from ringfence.delivery_attempts a where a.state = 'UNCERTAIN'"
                    + " and not exists (select from public.opened o where o.id = a.delivery_id and o.attempts = a.number)"));
            r.put("recorded", (double) recorded);
            r.put("duplicates", (double) Bench.number(Bench.count(o.receiver()), "duplicates"));
            r.put("notDelivered", (double) one("select count(*) from ringfence.deliveries where state <> 'delivered'"));
        } finally {
            enough.set(true);
        }
        return r;
    }

    private void bloat() throws Exception {
        int n = o.number("n", 600_000);
        int seconds = o.number("seconds", 200);
        Bench.freshDatabase(o);
        Bench.reset(o.receiver());
        RingfencePeer node = new RingfencePeer(o);
        try (Meter meter = new Meter(o, receiver.process.pid(), List.of(node.pid()), List.of());
                Connection reader = DriverManager.getConnection(o.jdbc())) {
            node.fill(0);
            try (Seed seed = new Seed(o)) {
                seed.waiting("true", 0, n, 1024, "at");
            }
            Bench.settle(o);
            reader.setAutoCommit(false);
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            Bench.quiet(o);
            node.start();
            int step = seconds / 20;
            long seen = 0;
            for (int i = 1; i <= 20; i++) {
                if (i == 5) {
                    try (Statement s = reader.createStatement()) {
                        Bench.one(s, "select count(*) from ringfence.nodes");
                    }
                }
                if (i == 15) reader.rollback();
                Meter.Mark a = meter.mark();
                Thread.sleep(step * 1000L);
                Meter.Mark b = meter.mark();
                long now = Bench.number(Bench.count(o.receiver()), "unique");
                Map<String, Double> r = new LinkedHashMap<>();
                r.put("second", (double) i * step);
                r.put("perSecond", (now - seen) * 1e9 / (b.nanos() - a.nanos()));
                sizes(r);
                r.putAll(Meter.between(a, b, now - seen));
                seen = now;
                Bench.report(log, "bloat", i < 5 ? "before" : i < 15 ? "reader open" : "after", passed, Integer.toString(i), r);
                if (seen >= n) break;
            }
        } finally {
            node.stop();
        }
    }

    private void retention() throws Exception {
        int weeks = o.number("weeks", 4);
        int perWeek = o.number("perWeek", 250_000);
        int n = o.number("n", 400_000);
        Bench.freshDatabase(o);
        Bench.reset(o.receiver());
        RingfencePeer node = new RingfencePeer(o);
        try (Connection c = DriverManager.getConnection(o.jdbc()); Statement s = c.createStatement()) {
            node.fill(0);
            try (Seed seed = new Seed(o)) {
                for (int week = weeks; week > 0; week--) {
                    seed.at("now() - interval '" + (week + 4) + " weeks'");
                    seed.finished("true", week * perWeek * 10, perWeek, 1024);
                }
                seed.at("now()");
                seed.waiting("true", 0, n, 1024, "at");
            }
            Bench.settle(o);
            Bench.quiet(o);
            node.start();
            while (Bench.number(Bench.count(o.receiver()), "unique") < n / 4) Bench.pause();
            List<Map<String, Double>> calls = new ArrayList<>();
            for (String what : List.of("deliveries", "events")) {
                for (int week = 0; week < weeks; week++) calls.add(drop(s, what));
            }
            long enough = System.nanoTime() + 2_000_000_000L;
            while (System.nanoTime() < enough) Bench.pause();
            if (Bench.number(Bench.count(o.receiver()), "unique") >= n) throw new IllegalStateException("the backlog ended before the drops: more n");
            long[] arrivals = Bench.get(o.receiver() + "/ctl/arrivals").lines()
                    .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1))).sorted().toArray();
            int round = 0;
            for (Map<String, Double> call : calls) {
                long t = call.remove("nanos").longValue();
                call.put("perSecondWith", (double) between(arrivals, t, t + 1_000_000_000L));
                call.put("perSecondAround", (between(arrivals, t - 1_000_000_000L, t) + between(arrivals, t + 1_000_000_000L, t + 2_000_000_000L)) / 2.0);
                call.put("longestGapMs", longestGap(arrivals, t, t + 1_000_000_000L));
                call.put("longestGapBeforeMs", longestGap(arrivals, t - 1_000_000_000L, t));
                Bench.report(log, "retention", ++round <= weeks ? "a week of deliveries and attempts" : "a week of events", passed, Integer.toString(round), call);
            }
        } finally {
            node.stop();
        }
    }

    /** One week, as the server's job asks for it; where that finds it in use, again after a second, which the job leaves for later. */
    private static Map<String, Double> drop(Statement s, String what) throws Exception {
        Thread.sleep(2_000);
        for (int busy = 0; ; busy++) {
            long t = System.nanoTime();
            try (ResultSet r = s.executeQuery("select dropped from ringfence.drop_" + what + "_week(now() - interval '14 days')")) {
                r.next();
                if (r.getString(1) == null) throw new IllegalStateException("nothing to drop of " + what);
                return new LinkedHashMap<>(Map.of("ms", (System.nanoTime() - t) / 1e6, "nanos", (double) t, "busyBefore", (double) busy));
            } catch (SQLException e) {
                if (!"55P03".equals(e.getSQLState()) || busy == 20) throw e;
                Thread.sleep(1_000);
            }
        }
    }

    private static int between(long[] arrivals, long from, long to) {
        return place(arrivals, to) - place(arrivals, from);
    }

    private static double longestGap(long[] arrivals, long from, long to) {
        long longest = 0;
        for (int i = Math.max(1, place(arrivals, from)); i < place(arrivals, to); i++) longest = Math.max(longest, arrivals[i] - arrivals[i - 1]);
        return longest / 1e6;
    }

    private static int place(long[] arrivals, long at) {
        int i = Arrays.binarySearch(arrivals, at);
        return i < 0 ? -i - 1 : i;
    }

    private void sizes(Map<String, Double> r) throws SQLException {
        try (Connection c = DriverManager.getConnection(o.jdbc()); Statement s = c.createStatement();
                ResultSet rows = s.executeQuery("select pg_table_size('ringfence.deliveries_live') / 1048576.0,"
                        + " pg_relation_size('ringfence.deliveries_live_due') / 1048576.0, pg_indexes_size('ringfence.deliveries_live') / 1048576.0,"
                        + " (select n_dead_tup from pg_stat_user_tables where relid = 'ringfence.deliveries_live'::regclass),"
                        + " (select autovacuum_count from pg_stat_user_tables where relid = 'ringfence.deliveries_live'::regclass)")) {
            rows.next();
            r.put("liveTableMiB", rows.getDouble(1));
            r.put("dueIndexMiB", rows.getDouble(2));
            r.put("liveIndexesMiB", rows.getDouble(3));
            r.put("deadRows", rows.getDouble(4));
            r.put("autovacuums", rows.getDouble(5));
        }
    }

    private static double seconds(Statement s, String interval) throws SQLException {
        try (ResultSet r = s.executeQuery("select extract(epoch from (" + interval + ")) * 1000")) {
            r.next();
            double ms = r.getDouble(1);
            return r.wasNull() ? Double.NaN : ms;
        }
    }

    private long one(String sql) throws SQLException {
        try (Connection c = DriverManager.getConnection(o.jdbc()); Statement s = c.createStatement()) {
            return Bench.one(s, sql);
        }
    }
}
