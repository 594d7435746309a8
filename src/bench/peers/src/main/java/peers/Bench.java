package peers;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;

/**
 * Runs one peer: fresh database, fill, start the worker process, GO, wait until the receiver has seen all and the database
 * says all are complete; prints one JSON line a run and the medians. See the README beside this folder for the options.
 */
public final class Bench {
    private static final Map<String, String> REMAINING = Map.of(
            "db-scheduler", "select count(*) from scheduled_tasks",
            "jobrunr", "select count(*) from jobrunr_jobs where state <> 'SUCCEEDED'",
            "transaction-outbox", "select count(*) from txno_outbox where not processed",
            "graphile-worker", "select count(*) from graphile_worker._private_jobs",
            "pg-boss", "select count(*) from pgboss.job where name = 'hook' and state <> 'completed'",
            "reference", "select count(*) from delivery where state <> 2",
            "ringfence", "select (select count(*) from ringfence.outbox_events where status in ('PENDING', 'CLAIMED', 'FAILED_RETRYABLE'))"
                    + " + (select count(*) from ringfence.deliveries_live)");

    /** Asked again and again while the last ones are recorded: where counting would take the database's time from the system, whether any is left. */
    private static final Map<String, String> ANY_LEFT = Map.of(
            "ringfence", "select (exists (select from ringfence.deliveries_live)"
                    + " or exists (select from ringfence.outbox_events where status in ('PENDING', 'CLAIMED', 'FAILED_RETRYABLE')))::int");

    private static String commit;
    private static final int LATENCY_FIRST = 1_000_000;

    /** Whatever this process started ends with it, however it ends but for kill -9: no server stays behind to spoil the next round. */
    static void endChildrenWithMe() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> ProcessHandle.current().descendants().forEach(ProcessHandle::destroy)));
    }

    /** Between two looks at something that another process does. */
    static void pause() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 2) {
            System.err.println("drain|latency PEER [key=value …]; peers: " + REMAINING.keySet());
            System.exit(2);
        }
        Locale.setDefault(Locale.ROOT);
        endChildrenWithMe();
        Options o = new Options(args, 2);
        String peer = args[1];
        List<String> passed = Arrays.asList(args).subList(2, args.length);
        Path log = Path.of(o.text("work", "work"));
        Files.createDirectories(log);
        Child receiver = receiver(o, log);
        List<Map<String, Double>> runs = new ArrayList<>();
        try {
            for (int i = 0; i < o.number("runs", 3); i++) {
                Map<String, Double> r = args[0].equals("drain")
                        ? drain(peer, o, passed, receiver, log) : latency(peer, o, passed, log);
                runs.add(r);
                report(log, args[0], peer, passed, Integer.toString(i + 1), r);
            }
            Map<String, Double> median = new java.util.LinkedHashMap<>();
            for (String k : runs.get(0).keySet()) {
                double[] v = runs.stream().mapToDouble(r -> r.get(k)).sorted().toArray();
                median.put(k, v[v.length / 2]);
            }
            report(log, args[0], peer, passed, "median", median);
        } finally {
            receiver.process.destroy();
            receiver.process.waitFor(5, TimeUnit.SECONDS);
        }
        System.exit(0);
    }

    /** One line to standard output, to work/results.jsonl, and to the file of the day in results, which is kept. */
    static void report(Path log, String what, String peer, List<String> options, String run, Map<String, Double> r) throws IOException {
        String line = String.format("{\"at\":\"%s\",\"commit\":\"%s\",\"what\":\"%s\",\"peer\":\"%s\",\"options\":\"%s\",\"run\":\"%s\",%s}",
                Instant.now().truncatedTo(ChronoUnit.SECONDS), commit(), what, peer, String.join(" ", options).replaceAll("[^ ]*/tmp/[^ ]*", "…"), run,
                r.entrySet().stream().map(e -> "\"" + e.getKey() + "\":" + number(e.getValue())).collect(Collectors.joining(",")));
        System.out.println(line);
        Path kept = Files.createDirectories(Path.of("results")).resolve(LocalDate.now(ZoneOffset.UTC) + ".jsonl");
        for (Path file : List.of(log.resolve("results.jsonl"), kept)) {
            Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }

    private static String number(Double value) {
        return value.isNaN() || value.isInfinite() ? "null" : String.format("%.2f", value);
    }

    /** Of this checkout; PEERS_COMMIT where the WAR was built from another. */
    private static String commit() throws IOException {
        if (commit == null) commit = System.getenv("PEERS_COMMIT");
        if (commit == null) commit = checkedOut();
        return commit;
    }

    private static String checkedOut() throws IOException {
        Process git = new ProcessBuilder("git", "rev-parse", "--short", "HEAD").redirectErrorStream(true).start();
        String first = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        return first.matches("[0-9a-f]+") ? first : "unknown";
    }

    private static Map<String, Double> drain(String peer, Options o, List<String> passed, Child receiver, Path log) throws Exception {
        int n = o.number("n", 20_000);
        int before = o.number("settled", 0);
        boolean lots = o.flag("lots", false);
        String template = o.text("template", "");
        if (lots) {
            freshDatabase(o);
        } else {
            if (template.isEmpty() || !copied(o, template, name(o))) {
                freshDatabase(o);
                fillApart(peer, o, passed, before + n, log);
                if (!template.isEmpty()) copied(o, name(o), template);
            }
            long waiting = remaining(peer, o);
            if (waiting != before + n) throw new IOException(waiting + " jobs waiting, expected " + (before + n));
            settle(o);
        }
        reset(o.receiver());
        String load = quiet(o);
        List<Child> workers = new ArrayList<>();
        List<Jvm> jvms = new ArrayList<>();
        Map<String, Double> r = new java.util.LinkedHashMap<>();
        Meter meter = null;
        try {
            long p0 = System.nanoTime();
            for (int i = 0; i < o.number("procs", 1); i++) {
                List<String> work = new ArrayList<>(command(peer, "work", o));
                work.addAll(passed);
                workers.add(new Child("worker" + i, log, work));
            }
            for (Child w : workers) w.await("READY", 240);
            double startup = (System.nanoTime() - p0) / 1e9;
            double startupCpu = workers.stream().mapToDouble(w -> Proc.tree(w.process.pid())).sum();
            for (Child w : workers) {
                Jvm jvm = Jvm.ofWorker(w.process.pid());
                if (jvm != null) jvms.add(jvm);
            }
            meter = new Meter(o, receiver.process.pid(), workers.stream().map(w -> w.process.pid()).toList(), jvms);
            int from = 0;
            if (lots) {
                from = before;
                lot(workers.get(0), 0, before, o, peer);
                Meter.Mark go = meter.mark();
                workers.get(0).say("GO");
                workers.get(0).await("STARTED", 60);
                finish(peer, o, before, go.nanos());
                workers.get(0).say("PAUSE");
                workers.get(0).await("PAUSED", 60);
                lot(workers.get(0), before, n, o, peer);
                quiet(o);
            }
            Meter.Mark go = meter.mark();
            for (Child w : workers) w.say("GO");
            long limit = go.nanos() + TimeUnit.SECONDS.toNanos(o.number("timeout", 300));
            // what counts begins when so many have been delivered: a moment that the receiver's count tells
            Meter.Mark begin = go;
            int begun = from;
            if (before > 0 && !lots) {
                begun = (int) awaitUnique(o, before, limit, peer);
                begin = meter.mark();
                if (peer.equals("ringfence")) r.put("notFannedOutAtBegin", (double) notFannedOut(o));
            }
            int counted = before + n - begun;
            awaitUnique(o, begun + counted / 2, limit, peer);
            double half = (System.nanoTime() - begin.nanos()) / 1e9;
            awaitUnique(o, before + n, limit, peer);
            double delivered = (System.nanoTime() - begin.nanos()) / 1e9;
            awaitRecorded(peer, o, limit);
            Meter.Mark end = meter.mark();
            double seconds = (end.nanos() - begin.nanos()) / 1e9;
            String seen = count(o.receiver());
            r.put("perSecond", counted / seconds);
            r.put("counted", (double) counted);
            r.put("seconds", seconds);
            r.put("secondHalfPerSecond", counted / 2.0 / (seconds - half));
            r.put("untilDelivered", delivered);
            r.put("wholePerSecond", (before + n - from) * 1e9 / (end.nanos() - go.nanos()));
            r.put("startup", startup);
            r.put("startupCpu", startupCpu);
            r.putAll(Meter.between(begin, end, counted));
            r.put("load", Double.parseDouble(load));
            r.put("duplicates", (double) number(seen, "duplicates"));
            r.put("withoutId", (double) number(seen, "withoutId"));
            r.put("connections", (double) number(seen, "connections"));
            return r;
        } finally {
            if (meter != null) meter.close();
            for (Child w : workers) w.end();
        }
    }

    /** By a process that has ended before anything is measured. */
    private static void fillApart(String peer, Options o, List<String> passed, int n, Path log) throws Exception {
        List<String> fill = new ArrayList<>(command(peer, "fill", o));
        fill.addAll(passed);
        fill.add("n=" + n);
        if (peer.equals("transaction-outbox")) fill.add("attempt=2000");
        Child filler = new Child("fill", log, fill);
        if (!filler.process.waitFor(2L * o.number("timeout", 300), TimeUnit.SECONDS) || filler.process.exitValue() != 0) {
            throw new IOException("fill failed, see " + log);
        }
    }

    /** Makes one database a copy of another; false where there is nothing to copy. */
    private static boolean copied(Options o, String from, String to) throws SQLException {
        try (Connection c = DriverManager.getConnection(o.jdbc().replaceFirst("/\\w+\\?", "/postgres?")); Statement s = c.createStatement()) {
            if (one(s, "select count(*) from pg_database where datname = '" + from + "'") == 0) return false;
            s.execute("drop database if exists " + to + " with (force)");
            s.execute("create database " + to + " template " + from);
            return true;
        }
    }

    /** Of the database. */
    private static String name(Options o) {
        return o.jdbc().replaceFirst(".*/(\\w+)\\?.*", "$1");
    }

    /** By the worker itself, while it does not deliver. */
    private static void lot(Child worker, int first, int n, Options o, String peer) throws Exception {
        worker.say("FILL " + first + " " + n);
        worker.await("FILLED", 600);
        long waiting = remaining(peer, o);
        if (waiting != n) throw new IOException(waiting + " jobs waiting, expected " + n);
        settle(o);
    }

    private static void finish(String peer, Options o, long unique, long from) throws Exception {
        long limit = from + TimeUnit.SECONDS.toNanos(o.number("timeout", 300));
        awaitUnique(o, unique, limit, peer);
        awaitRecorded(peer, o, limit);
    }

    static long awaitUnique(Options o, long wanted, long limit, String peer) throws Exception {
        for (long seen; ; pause()) {
            if ((seen = number(count(o.receiver()), "unique")) >= wanted) return seen;
            if (System.nanoTime() > limit) throw new IOException("timed out: " + count(o.receiver()) + ", remaining " + remaining(peer, o));
        }
    }

    static void awaitRecorded(String peer, Options o, long limit) throws Exception {
        try (Connection c = DriverManager.getConnection(o.jdbc()); Statement s = c.createStatement()) {
            while (one(s, ANY_LEFT.getOrDefault(peer, REMAINING.get(peer))) > 0) {
                Thread.sleep(10);
                if (System.nanoTime() > limit) throw new IOException("timed out: " + one(s, REMAINING.get(peer)) + " not recorded complete");
            }
        }
    }

    private static long notFannedOut(Options o) throws SQLException {
        try (Connection c = DriverManager.getConnection(o.jdbc()); Statement s = c.createStatement()) {
            return one(s, "select count(*) from ringfence.outbox_events where status in ('PENDING', 'CLAIMED', 'FAILED_RETRYABLE')");
        }
    }

    /** Jobs committed one every 50 ms into an idle system; by the worker's own process or (separate=true) by another. */
    private static Map<String, Double> latency(String peer, Options o, List<String> passed, Path log) throws Exception {
        int jobs = o.number("jobs", 200);
        int warm = o.number("warm", 20);
        freshDatabase(o);
        reset(o.receiver());
        List<String> work = new ArrayList<>(command(peer, "work", o));
        work.addAll(passed);
        Child worker = new Child("worker0", log, work);
        Child inserter = null;
        try {
            worker.await("READY", 240);
            if (o.flag("separate", false)) {
                inserter = new Child("inserter", log, work);
                inserter.await("READY", 240);
            } else {
                inserter = worker;
            }
            quiet(o);
            worker.say("GO");
            worker.await("STARTED", 60);
            Thread.sleep(2000);
            inserter.say("LAT " + LATENCY_FIRST + " " + (jobs + warm) + " " + o.number("every", 50));
            List<String> out = inserter.await("INSERTED", 300);
            long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (number(count(o.receiver()), "unique") < jobs + warm) {
                Thread.sleep(50);
                if (System.nanoTime() > limit) throw new IOException("timed out: " + count(o.receiver()));
            }
            Map<Integer, Long> arrived = new HashMap<>();
            for (String line : get(o.receiver() + "/ctl/arrivals").split("\n")) {
                String[] p = line.split(" ");
                arrived.put(Integer.parseInt(p[0]), Long.parseLong(p[1]));
            }
            Histogram fromAnswer = new Histogram(60_000_000, 3);
            Histogram fromRequest = new Histogram(60_000_000, 3);
            for (String line : out) {
                if (!line.startsWith("C ")) continue;
                String[] p = line.split(" ");
                int id = Integer.parseInt(p[1]);
                if (id < LATENCY_FIRST + warm) continue;
                // an arrival before the answer that tells of the commit counts as no time at all
                fromAnswer.recordValue(Math.max(0, arrived.get(id) - Long.parseLong(p[2])) / 1_000);
                fromRequest.recordValue((arrived.get(id) - Long.parseLong(p[3])) / 1_000);
            }
            Map<String, Double> r = new java.util.LinkedHashMap<>();
            percentiles("", fromAnswer, r);
            percentiles("fromRequest", fromRequest, r);
            r.put("jobs", (double) fromAnswer.getTotalCount());
            r.put("duplicates", (double) number(count(o.receiver()), "duplicates"));
            return r;
        } finally {
            worker.end();
            if (inserter != null && inserter != worker) inserter.end();
        }
    }

    /** In milliseconds, of a histogram of microseconds. */
    static void percentiles(String what, AbstractHistogram h, Map<String, Double> r) {
        r.put(what.isEmpty() ? "p50ms" : what + "P50ms", h.getValueAtPercentile(50) / 1e3);
        r.put(what.isEmpty() ? "p90ms" : what + "P90ms", h.getValueAtPercentile(90) / 1e3);
        r.put(what.isEmpty() ? "p99ms" : what + "P99ms", h.getValueAtPercentile(99) / 1e3);
        r.put(what.isEmpty() ? "maxms" : what + "MaxMs", h.getMaxValue() / 1e3);
    }

    private static List<String> command(String peer, String role, Options o) {
        if (peer.equals("graphile-worker") || peer.equals("pg-boss")) return List.of("node", "node/" + peer + ".mjs", role);
        List<String> c = new ArrayList<>(javaCommand(o.text("java", "java"), o.text("heap", "1g")));
        String more = o.text("jvm_opts", "");
        if (!more.isBlank()) c.addAll(1, List.of(more.trim().split(" +")));
        c.addAll(List.of("peers.Peer", peer, role));
        return c;
    }

    private static List<String> javaCommand(String java, String heap) {
        String cp = "target/classes" + File.pathSeparator + "target/lib/*";
        return List.of(java, "-Xmx" + heap, "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", cp);
    }

    /** A child process: its standard output is read here, its standard error goes to a log file. */
    static final class Child {
        final Process process;
        private final BufferedReader out;

        Child(String name, Path log, List<String> command) throws IOException {
            process = new ProcessBuilder(command).redirectError(log.resolve(name + ".log").toFile()).start();
            out = new BufferedReader(new InputStreamReader(process.getInputStream()));
        }

        static Child java(String name, Path log, List<String> main) throws IOException {
            List<String> c = new ArrayList<>(javaCommand("java", "512m"));
            c.addAll(main);
            return new Child(name, log, c);
        }

        void say(String line) throws IOException {
            OutputStream in = process.getOutputStream();
            in.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            in.flush();
        }

        List<String> await(String wanted, int seconds) throws Exception {
            List<String> lines = new ArrayList<>();
            long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            while (System.nanoTime() < limit) {
                if (!out.ready()) {
                    if (!process.isAlive() && !out.ready()) throw new IOException("process ended before " + wanted);
                    Thread.sleep(2);
                    continue;
                }
                String line = out.readLine();
                if (wanted.equals(line)) return lines;
                lines.add(line);
            }
            throw new IOException("no " + wanted + " within " + seconds + " s");
        }

        void end() throws Exception {
            try {
                say("QUIT");
            } catch (IOException e) {
                // it has ended by itself
            }
            if (!process.waitFor(15, TimeUnit.SECONDS)) {
                process.destroy();
                if (!process.waitFor(5, TimeUnit.SECONDS)) process.destroyForcibly().waitFor();
            }
        }
    }

    /** Ready and warm; delay (ms) as its option says. */
    static Child receiver(Options o, Path log) throws Exception {
        commit(); // what is checked out at the end may be another
        Child receiver = Child.java("receiver", log, List.of("peers.Receiver", "port=" + URI.create(o.receiver()).getPort(),
                "delay=" + o.number("delay", 0)));
        receiver.await("READY", 30);
        if (o.number("delay", 0) == 0) warmUp(o);
        return receiver;
    }

    /** The receiver's code compiled before anything is measured. */
    static void warmUp(Options o) throws Exception {
        RawHttp raw = new RawHttp(URI.create(o.receiver()), 32);
        java.util.concurrent.Semaphore permits = new java.util.concurrent.Semaphore(32);
        for (int id = 0; id < 30_000; id++) {
            permits.acquire();
            raw.post(Work.path(id), Work.bodyBytes(id), e -> permits.release());
        }
        permits.acquire(32);
    }

    /** Waits until nobody else uses the machine: less than a tenth of it busy over two seconds; a minute and a half at most. */
    static String quiet(Options o) throws Exception {
        for (int i = 0; i < o.number("patience", 45); i++) {
            double busy = Proc.machine();
            Thread.sleep(2000);
            if (Proc.machine() - busy < 0.2 * Runtime.getRuntime().availableProcessors()) return Proc.load();
        }
        System.err.println("WARNING: the machine does not get quiet, load " + Proc.load());
        return Proc.load();
    }

    /** The one that the address names: peers, where nothing else is said. */
    static void freshDatabase(Options o) throws SQLException {
        String name = name(o);
        try (Connection c = DriverManager.getConnection(o.jdbc().replaceFirst("/\\w+\\?", "/postgres?")); Statement s = c.createStatement()) {
            s.execute("drop database if exists " + name + " with (force)");
            s.execute("create database " + name);
            if (one(s, "select count(*) from pg_settings where name = 'shared_preload_libraries' and setting like '%pg_stat_statements%'") == 0) return;
        }
        try (Connection c = DriverManager.getConnection(o.jdbc()); Statement s = c.createStatement()) {
            s.execute("create extension pg_stat_statements");
        }
    }

    static void settle(Options o) throws SQLException {
        try (Connection c = DriverManager.getConnection(o.jdbc()); Statement s = c.createStatement()) {
            s.execute("vacuum analyze");
            s.execute("checkpoint");
        }
    }

    static void checkpoint(Options o) throws SQLException {
        try (Connection c = DriverManager.getConnection(o.jdbc()); Statement s = c.createStatement()) {
            s.execute("checkpoint");
        }
    }

    static long remaining(String peer, Options o) throws SQLException {
        try (Connection c = DriverManager.getConnection(o.jdbc()); Statement s = c.createStatement()) {
            return one(s, REMAINING.get(peer));
        }
    }

    static long one(Statement s, String sql) throws SQLException {
        try (ResultSet r = s.executeQuery(sql)) {
            r.next();
            return r.getLong(1);
        }
    }

    static void reset(String receiver) throws IOException {
        get(receiver + "/ctl/reset");
    }

    static String count(String receiver) throws IOException {
        return get(receiver + "/ctl/count");
    }

    static long number(String json, String key) {
        int p = json.indexOf("\"" + key + "\":") + key.length() + 3;
        int q = p;
        while (Character.isDigit(json.charAt(q))) q++;
        return Long.parseLong(json.substring(p, q));
    }

    static String get(String url) throws IOException {
        HttpURLConnection c = (HttpURLConnection) URI.create(url).toURL().openConnection();
        return new String(c.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
