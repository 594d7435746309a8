package peers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * What one endpoint, or one tenant, takes from the others, in one server of Ringfence and one run, so that only ratios and the
 * same minutes count.
 *
 * <p>isolation: ten endpoints with equally much due. Rounds are all healthy / one bad / all healthy / …; the rate is that of the
 * other nine, from GO to the arrival of the last of theirs. Options: n (deliveries a round, 20000), rounds (5, the odd ones
 * healthy), kind (hang, drip, failing: it answers 500 at once, or a number of ms after which the tenth answers), timeoutMs (2000).
 *
 * <p>fairness: one tenant with a backlog at ten endpoints, beside tenants with one due delivery each. Measured from GO: when the
 * last of these arrives. Then, the backlog still draining, one event for each of them is recorded over HTTP: from the answer
 * to its arrival. Options: noisy (rows, 100000), tenants (100), rounds (2), inFlight (of each noisy endpoint, 100).
 *
 * <p>Deliveries are rows made by SQL as fan-out makes them, so that fan-out is not what is measured; their events are put a day
 * ahead, where fan-out leaves them alone. What is recorded over HTTP goes the whole way.
 */
public final class Isolation {
    private static final String EVENT = "bench.hook.posted.v1";
    private static final int ENDPOINTS = 10;

    private final Options o;
    private final RingfencePeer node;
    private final String app;
    private final Map<String, String> epochs = new LinkedHashMap<>();
    private int nextId = 1;

    private Isolation(Options o, RingfencePeer node) throws Exception {
        this.o = o;
        this.node = node;
        app = node.call("POST", "/apps", RingfencePeer.JSON.createObjectNode().put("name", "bench"), 201).get("id").asText();
    }

    public static void main(String[] args) throws Exception {
        Locale.setDefault(Locale.ROOT);
        Bench.endChildrenWithMe();
        Options o = new Options(args, 1);
        List<String> passed = Arrays.asList(args).subList(1, args.length);
        Path log = Path.of(o.text("work", "work"));
        Files.createDirectories(log);
        Bench.freshDatabase(o);
        Bench.Child receiver = Bench.receiver(o, log);
        RingfencePeer node = null;
        try {
            Bench.reset(o.receiver());
            node = new RingfencePeer(o);
            node.connect();
            Isolation bench = new Isolation(o, node);
            if (args[0].equals("isolation")) bench.isolation(log, passed);
            else bench.fairness(log, passed);
        } finally {
            if (node != null) node.stop();
            receiver.process.destroy();
            receiver.process.waitFor(5, TimeUnit.SECONDS);
        }
        System.exit(0);
    }

    private void isolation(Path log, List<String> passed) throws Exception {
        int n = o.number("n", 20_000) / ENDPOINTS * ENDPOINTS;
        String kind = o.text("kind", "hang");
        nine("warm", n, "none");
        List<Double> healthy = new ArrayList<>();
        List<Double> bad = new ArrayList<>();
        for (int round = 1; round <= o.number("rounds", 5); round++) {
            String trick = round % 2 == 0 ? kind : "none";
            Map<String, Double> r = nine("round" + round, n, trick);
            (round % 2 == 0 ? bad : healthy).add(r.get("ninePerSecond"));
            Bench.report(log, "isolation", trick.equals("none") ? "healthy" : "one bad", passed, Integer.toString(round), r);
        }
        Map<String, Double> sum = new LinkedHashMap<>();
        sum.put("healthyPerSecond", mean(healthy));
        sum.put("onePerSecond", mean(bad));
        sum.put("kept", mean(bad) / mean(healthy));
        sum.put("keptBesideNeighbours", besideNeighbours(bad, healthy));
        Bench.report(log, "isolation", "ringfence", passed, "mean", sum);
    }

    /** Each bad round over the two healthy ones around it, the median of these: what a machine's slow drift does not reach. */
    private static double besideNeighbours(List<Double> bad, List<Double> healthy) {
        double[] ratios = new double[Math.min(bad.size(), healthy.size() - 1)];
        for (int i = 0; i < ratios.length; i++) ratios[i] = 2 * bad.get(i) / (healthy.get(i) + healthy.get(i + 1));
        Arrays.sort(ratios);
        return ratios.length == 0 ? Double.NaN : ratios[ratios.length / 2];
    }

    /** The rate of nine endpoints beside a tenth that plays a trick. */
    private Map<String, Double> nine(String tenant, int n, String trick) throws Exception {
        enrol(tenant);
        int first = nextId;
        int each = n / ENDPOINTS;
        List<UUID> hooks = new ArrayList<>();
        for (int k = 0; k < ENDPOINTS; k++) {
            hooks.add(subscribe(tenant, "/hook/" + k, o.number("inFlight", 0)));
            seed(tenant, hooks.get(k), nextId, each);
            nextId += each;
        }
        int tenth = nextId - each;
        Bench.settle(o);
        if (!trick.equals("none")) Bench.get(o.receiver() + "/ctl/trick/" + trick + "/hook/" + (ENDPOINTS - 1));
        double load = Double.parseDouble(Bench.quiet(o));
        long t0 = System.nanoTime();
        node.start();
        String seen = awaitSeen(first, tenth, tenth - first);
        Map<String, Double> r = new LinkedHashMap<>();
        r.put("ninePerSecond", (tenth - first) * 1e9 / (Bench.number(seen, "last") - t0));
        r.put("requestsOfTenth", (double) Bench.number(Bench.get(o.receiver() + "/ctl/range/" + tenth + "/" + nextId), "seen"));
        if (trick.equals("none")) awaitSeen(tenth, nextId, each);
        else pauseSubscription(hooks.get(ENDPOINTS - 1));
        node.pause();
        Bench.get(o.receiver() + "/ctl/trick/none/hook/" + (ENDPOINTS - 1));
        r.put("duplicatesSoFar", (double) Bench.number(Bench.count(o.receiver()), "duplicates"));
        r.put("load", load);
        return r;
    }

    private void fairness(Path log, List<String> passed) throws Exception {
        int noisy = o.number("noisy", 100_000) / ENDPOINTS * ENDPOINTS;
        int tenants = o.number("tenants", 100);
        List<UUID> quiet = new ArrayList<>();
        for (int i = 0; i < tenants; i++) {
            enrol("quiet" + i);
            quiet.add(subscribe("quiet" + i, "/hook/quiet" + i, 0));
        }
        for (int round = 1; round <= o.number("rounds", 2); round++) {
            String big = "noisy" + round;
            enrol(big);
            List<UUID> hooks = new ArrayList<>();
            int backlog = nextId;
            for (int k = 0; k < ENDPOINTS; k++) {
                hooks.add(subscribe(big, "/hook/noisy" + k, o.number("inFlight", 100)));
                seed(big, hooks.get(k), nextId, noisy / ENDPOINTS);
                nextId += noisy / ENDPOINTS;
            }
            int due = nextId;
            for (int i = 0; i < tenants; i++) seed("quiet" + i, quiet.get(i), nextId++, 1);
            Bench.settle(o);
            double load = Double.parseDouble(Bench.quiet(o));
            long t0 = System.nanoTime();
            node.start();
            awaitSeen(due, nextId, tenants);
            Map<String, Double> r = new LinkedHashMap<>();
            waits("due", arrivals(due, tenants), t0, r);
            int recorded = nextId;
            long[] from = new long[tenants];
            long before = seen(backlog, due);
            long began = System.nanoTime();
            for (int i = 0; i < tenants; i++) {
                record("quiet" + i, nextId++);
                from[i] = System.nanoTime();
            }
            awaitSeen(recorded, nextId, tenants);
            long after = seen(backlog, due);
            r.put("backlogPerSecond", (after - before) * 1e9 / (System.nanoTime() - began));
            r.put("backlogLeft", (double) noisy - after);
            long[] at = arrivals(recorded, tenants);
            for (int i = 0; i < tenants; i++) at[i] -= from[i];
            waits("recorded", at, 0, r);
            for (UUID hook : hooks) pauseSubscription(hook);
            node.pause();
            r.put("duplicatesSoFar", (double) Bench.number(Bench.count(o.receiver()), "duplicates"));
            r.put("load", load);
            if (after >= noisy) System.err.println("WARNING: the backlog was gone before the end: take a larger one");
            Bench.report(log, "fairness", "ringfence", passed, Integer.toString(round), r);
        }
    }

    private static void waits(String what, long[] at, long t0, Map<String, Double> r) {
        double[] ms = Arrays.stream(at).mapToDouble(t -> (t - t0) / 1e6).sorted().toArray();
        r.put(what + "P50ms", ms[ms.length / 2]);
        r.put(what + "MaxMs", ms[ms.length - 1]);
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(v -> v).average().orElse(Double.NaN);
    }

    private void enrol(String tenant) throws Exception {
        ObjectNode body = RingfencePeer.JSON.createObjectNode();
        body.putObject("session").put("id", "bench").put("authenticatedAt", Instant.now().toString());
        JsonNode answer = node.call("POST", "/apps/" + app + "/tenants/" + tenant + "/enrolment", body, 200);
        epochs.put(tenant, answer.get("epoch").asText());
    }

    /** With the product's own limit where inFlight is 0. */
    private UUID subscribe(String tenant, String path, int inFlight) throws Exception {
        ObjectNode s = RingfencePeer.JSON.createObjectNode().put("name", path.substring(1).replace('/', '-')).put("mode", "PUSH")
                .put("url", o.receiver() + path).put("timeoutMs", o.number("timeoutMs", 2_000));
        s.putArray("eventTypes").add(EVENT);
        if (inFlight > 0) s.putObject("limits").put("inFlight", inFlight);
        return UUID.fromString(node.call("POST", "/apps/" + app + "/tenants/" + tenant + "/subscriptions", s, 201).get("id").asText());
    }

    private void record(String tenant, int id) throws Exception {
        ObjectNode body = RingfencePeer.JSON.createObjectNode().put("epoch", epochs.get(tenant));
        ObjectNode e = body.putArray("events").addObject().put("name", EVENT).put("aggregateType", "hook")
                .put("aggregateId", Integer.toString(id)).put("occurredAt", Instant.now().toString());
        e.putObject("actor").put("type", "system");
        e.set("payload", RingfencePeer.JSON.readTree(Work.body(id)));
        node.call("POST", "/apps/" + app + "/tenants/" + tenant + "/events", body, 202);
    }

    /** Due deliveries with bodies of 1,024 bytes, one event each. */
    private void seed(String tenant, UUID subscription, int first, int n) throws SQLException {
        try (Connection c = DriverManager.getConnection(o.jdbc()); PreparedStatement s = c.prepareStatement("""
                with made as (
                  insert into ringfence.outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name,
                      event_version, occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor, correlation_id,
                      causation_id, payload, metadata, payload_bytes, payload_sha256, status, available_at, created_at, updated_at)
                  select o, t.tenant_id, t.app_id, t.epoch, now(), 'evt_' || o, ?, 1, now(), now(), 'bench', 'hook', 'h', '{}',
                      'cor_1', 'req_1', '{}', '{}', b, sha256(b), 'PENDING', now() + interval '1 day', now(), now()
                    from ringfence.tenant_lifecycle t, generate_series(?::integer, ?::integer) as i,
                      lateral (select nextval('ringfence.ordinals') + 0 * i as o) as next,
                      lateral (select convert_to(rpad('{"benchId":' || i || ',"data":"', 1022, '0123456789abcdef') || '"}', 'UTF8') as b) as body
                   where t.app_id = ?::uuid and t.tenant = ?
                  returning ordinal, tenant_id, app_id, epoch, recorded_at
                )
                insert into ringfence.deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at,
                    event_id, message_id, mode, state, url, protocol, cycle_started_at, next_attempt_at, created_at, updated_at)
                select nextval('ringfence.ordinals'), m.tenant_id, m.app_id, m.epoch, s.id, m.ordinal, m.recorded_at, 'evt_' || m.ordinal,
                    'msg_' || m.ordinal, 'PUSH', 'pending', s.url, 1, now(), now(), now(), now()
                  from made m, ringfence.subscriptions s where s.id = ?
                """)) {
            s.setString(1, EVENT);
            s.setInt(2, first);
            s.setInt(3, first + n - 1);
            s.setString(4, app);
            s.setString(5, tenant);
            s.setObject(6, subscription);
            int made = s.executeUpdate();
            if (made != n) throw new SQLException(made + " deliveries made, expected " + n);
        }
    }

    private void pauseSubscription(UUID subscription) throws SQLException {
        try (Connection c = DriverManager.getConnection(o.jdbc());
                PreparedStatement s = c.prepareStatement("update ringfence.subscriptions set status = 'PAUSED' where id = ?")) {
            s.setObject(1, subscription);
            s.executeUpdate();
        }
    }

    private long seen(int from, int to) throws Exception {
        return Bench.number(Bench.get(o.receiver() + "/ctl/range/" + from + "/" + to), "seen");
    }

    private String awaitSeen(int from, int to, int wanted) throws Exception {
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(o.number("timeout", 300));
        while (true) {
            String range = Bench.get(o.receiver() + "/ctl/range/" + from + "/" + to);
            if (Bench.number(range, "seen") == wanted) return range;
            if (System.nanoTime() > limit) throw new IllegalStateException("timed out: " + range + " of " + wanted);
            Bench.pause();
        }
    }

    /** When each of these ids arrived first. */
    private long[] arrivals(int from, int n) throws Exception {
        long[] at = new long[n];
        for (int i = 0; i < n; i++) {
            at[i] = Bench.number(Bench.get(o.receiver() + "/ctl/range/" + (from + i) + "/" + (from + i + 1)), "last");
        }
        return at;
    }
}
