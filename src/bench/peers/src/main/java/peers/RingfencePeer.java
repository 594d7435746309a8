package peers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Ringfence itself, in the provisioned WildFly of the main build (target/server and target/ringfence.war): one application, one
 * tenant, 100 push subscriptions (signed, every attempt a row, both commits durable), one event type for each endpoint. The server
 * boots with delivery off; GO switches it on over JMX, so that fan-out of the backlog is part of what is measured.
 *
 * <p>Options: ready (false; true: the backlog is fanned out before "go", every circuit open until then, so that every delivery is ready
 * as the peers' jobs are and fan-out is not measured), root (the main project's folder, ../../..), window, workers, serverHeap (1g),
 * clients (that record at once while filling, 8), recorder (own; other: a second node records, which delivers nothing), profiler
 * (async-profiler's library: from "go" to the end its samples go to work/profile.collapsed), profile (its options,
 * event=itimer,interval=1ms).
 */
final class RingfencePeer implements Peer {
    private static final String ADMIN = "bench-admin-key-that-nobody-else-knows-0123456789";
    private static final String DELIVERY = "dev.ringfence:type=Delivery";
    static final ObjectMapper JSON = new ObjectMapper();

    private final Options o;
    private final Path root;
    private final int port;
    private final Process server;
    private JMXConnector connector;
    private MBeanServerConnection beans;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String name;
    private final RingfencePeer other;
    private Path console;
    private String app;
    private String epoch;
    private String client;
    private boolean measured;

    RingfencePeer(Options o) throws Exception {
        this(o, "bench-0", o.text("recorder", "own").equals("other"));
    }

    /** One node of several on the same database; the name is the node's in ledger and leases. */
    RingfencePeer(Options o, String name) throws Exception {
        this(o, name, false);
    }

    private RingfencePeer(Options o, String name, boolean withOther) throws Exception {
        this.o = o;
        this.name = name;
        root = Path.of(o.text("root", "../../..")).toAbsolutePath().normalize();
        int offset = offset();
        port = 8080 + offset;
        server = boot(offset);
        try {
            awaitReady();
        } catch (Exception e) {
            server.destroyForcibly();
            throw e;
        }
        other = withOther ? new RingfencePeer(o, "bench-recorder") : null;
    }

    @Override
    public void fill(int n) throws Exception {
        fill(0, n);
    }

    @Override
    public void fill(int first, int n) throws Exception {
        if (app == null) {
            enrol();
            subscribeAll();
        }
        if (n == 0) return;
        long before = recorded();
        recorder(o.number("clients", 8)).record(first, n, 50);
        if (recorded() != before + n) throw new IOException(recorded() - before + " events recorded, expected " + n);
        if (o.flag("ready", false)) fanOut();
    }

    private void subscribeAll() throws Exception {
        for (int k = 0; k < Work.ENDPOINTS; k++) {
            ObjectNode s = JSON.createObjectNode().put("name", "hook-" + k).put("mode", "PUSH").put("url", o.receiver() + "/hook/" + k);
            s.putArray("eventTypes").add(type(k));
            if (!o.text("inFlight", "").isEmpty()) s.putObject("limits").put("inFlight", o.number("inFlight", 10));
            if (!o.text("waits", "").isEmpty()) {
                ArrayNode waits = s.putObject("retry").putArray("waitsSeconds");
                for (String wait : o.text("waits", "").split(",")) waits.add(Integer.parseInt(wait));
            }
            call("POST", "/apps/" + app + "/tenants/bench/subscriptions", s, 201);
        }
    }

    /** How many events there are. */
    private long recorded() throws Exception {
        try (Connection c = DriverManager.getConnection(o.jdbc()); Statement s = c.createStatement()) {
            return Bench.one(s, "select count(*) from ringfence.outbox_events");
        }
    }

    private void fanOut() throws Exception {
        try (Connection c = DriverManager.getConnection(o.jdbc()); Statement s = c.createStatement()) {
            s.execute("update ringfence.subscriptions set circuit = 'OPEN', circuit_until = now() + interval '1 day'");
            connect();
            beans.invoke(new ObjectName(DELIVERY), "resume", new Object[0], new String[0]);
            while (Bench.one(s, "select (exists (select from ringfence.outbox_events where status in ('PENDING', 'CLAIMED', 'FAILED_RETRYABLE')))::int") > 0) {
                Bench.pause();
            }
            pause();
        }
    }

    /** Clients that record at this node for its tenant. */
    Recorder recorder(int clients) {
        return new Recorder(port, "/ringfence/api/v1/apps/" + app + "/tenants/bench/events", client, epoch, clients);
    }

    String app() {
        return app;
    }

    String name() {
        return name;
    }

    /** The server's JVM. */
    long pid() {
        return server.pid();
    }

    /** The tenant and its subscriptions that an earlier process made in this database. */
    void adopt(String knownApp, String knownEpoch) throws Exception {
        app = knownApp;
        epoch = knownEpoch;
        issueKey();
    }

    /** Applications record with keys of their own, not with the administrator's. */
    private void issueKey() throws Exception {
        ObjectNode key = JSON.createObjectNode().put("name", "recorder");
        key.putArray("roles").add("client");
        client = call("POST", "/apps/" + app + "/keys", key, 201).get("secret").asText();
    }

    String epoch() {
        return epoch;
    }

    boolean isAlive() {
        return server.isAlive();
    }

    /** How many lines of the server's console hold this. */
    long logged(String text) throws IOException {
        try (Stream<String> lines = Files.lines(console)) {
            return lines.filter(l -> l.contains(text)).count();
        }
    }

    /** As kill -9 does: no hook runs, nothing is written. */
    void kill() {
        server.destroyForcibly();
    }

    @Override
    public void start() throws Exception {
        connect();
        measured = true;
        if (o.flag("ready", false)) {
            try (Connection c = DriverManager.getConnection(o.jdbc()); Statement s = c.createStatement()) {
                s.execute("update ringfence.subscriptions set circuit = 'CLOSED', circuit_until = null");
            }
        }
        profiler("start," + o.text("profile", "event=itimer,interval=1ms"));
        beans.invoke(new ObjectName(DELIVERY), "resume", new Object[0], new String[0]);
    }

    /** Nothing new begins; returns when nothing is in hand any more. */
    @Override
    public void pause() throws Exception {
        connect();
        beans.invoke(new ObjectName(DELIVERY), "pause", new Object[0], new String[0]);
        while ((Integer) beans.getAttribute(new ObjectName(DELIVERY), "InHand") > 0) Bench.pause();
    }

    /** So that going takes no longer than the going itself. */
    void connect() throws Exception {
        if (connector != null) return;
        VirtualMachine vm = VirtualMachine.attach(Long.toString(server.pid()));
        try {
            connector = JMXConnectorFactory.connect(new JMXServiceURL(vm.startLocalManagementAgent()));
            beans = connector.getMBeanServerConnection();
        } finally {
            vm.detach();
        }
    }

    @Override
    public void insertOne(int id) throws Exception {
        if (app == null) fill(0);
        if (other == null) {
            record(id, 1);
        } else {
            if (other.app == null) other.adopt(app, epoch);
            other.record(id, 1);
        }
    }

    private void profiler(String command) throws Exception {
        String library = o.text("profiler", "");
        if (library.isEmpty()) return;
        VirtualMachine vm = VirtualMachine.attach(Long.toString(server.pid()));
        try {
            vm.loadAgentPath(Path.of(library).toAbsolutePath().toString(), command);
        } finally {
            vm.detach();
        }
    }

    @Override
    public void stop() throws Exception {
        if (beans != null && measured) profiler("stop,collapsed,threads,file=" + Path.of("work/profile.collapsed").toAbsolutePath());
        if (connector != null) connector.close();
        if (other != null) other.stop();
        if (!server.isAlive()) return;
        server.destroy();
        if (!server.waitFor(30, TimeUnit.SECONDS)) server.destroyForcibly().waitFor();
    }

    private void enrol() throws Exception {
        app = call("POST", "/apps", JSON.createObjectNode().put("name", "bench"), 201).get("id").asText();
        ObjectNode body = JSON.createObjectNode();
        body.putObject("session").put("id", "bench").put("authenticatedAt", Instant.now().toString());
        epoch = call("POST", "/apps/" + app + "/tenants/bench/enrolment", body, 200).get("epoch").asText();
        issueKey();
    }

    static String type(int endpoint) {
        return "bench.hook.posted_" + endpoint + ".v1";
    }

    private void record(int first, int n) throws Exception {
        ObjectNode body = JSON.createObjectNode().put("epoch", epoch);
        ArrayNode events = body.putArray("events");
        for (int id = first; id < first + n; id++) {
            ObjectNode e = events.addObject().put("name", type(id % Work.ENDPOINTS)).put("aggregateType", "hook")
                    .put("aggregateId", Integer.toString(id)).put("occurredAt", Instant.now().toString());
            e.putObject("actor").put("type", "system");
            e.set("payload", JSON.readTree(Work.body(id)));
        }
        call(client, "POST", "/apps/" + app + "/tenants/bench/events", body, 202);
    }

    /** As the administrator. */
    JsonNode call(String method, String path, JsonNode body, int expected) throws Exception {
        return call(ADMIN, method, path, body, expected);
    }

    private JsonNode call(String key, String method, String path, JsonNode body, int expected) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ringfence/api/v1" + path))
                .timeout(Duration.ofSeconds(30)).header("Authorization", "Bearer " + key).header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body))).build();
        HttpResponse<byte[]> answer = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        if (answer.statusCode() != expected) throw new IOException(method + " " + path + ": " + answer.statusCode() + " " + new String(answer.body()));
        return JSON.readTree(answer.body());
    }

    private Process boot(int offset) throws IOException {
        Path home = root.resolve("target/server");
        Path war = root.resolve("target/ringfence.war");
        if (!Files.exists(war) || !Files.exists(home)) throw new IOException("build the main project first: ./mvnw -DskipTests verify");
        Path base = Files.createTempDirectory("ringfence-bench");
        copy(home.resolve("standalone"), base);
        Files.copy(war, base.resolve("deployments/ringfence.war"), StandardCopyOption.REPLACE_EXISTING);
        List<String> command = new ArrayList<>(List.of(home.resolve("bin/standalone.sh").toString(),
                "-Djboss.server.base.dir=" + base, "-Djboss.socket.binding.port-offset=" + offset, "-b", "127.0.0.1"));
        ProcessBuilder b = new ProcessBuilder(command);
        String user = o.jdbc().replaceFirst(".*[?&]user=([^&]*).*", "$1");
        Map<String, String> env = b.environment();
        env.put("RINGFENCE_DB_URL", o.jdbc().replaceFirst("\\?.*", ""));
        env.put("RINGFENCE_DB_USER", user);
        env.put("RINGFENCE_DB_PASSWORD", "trusted"); // the server refuses an empty one; PostgreSQL does not ask
        env.put("RINGFENCE_BOOTSTRAP_ADMIN_KEY", ADMIN);
        env.put("RINGFENCE_SECRETS_KEY", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
        env.put("RINGFENCE_DELIVERY_ENABLED", "false");
        env.put("RINGFENCE_NODE", name);
        env.put("RINGFENCE_EGRESS_ALLOW", "127.0.0.0/8");
        env.put("RINGFENCE_RECORDING_MAX_WAITING", "10000000");
        if (!o.text("window", "").isEmpty()) env.put("RINGFENCE_DELIVERY_WINDOW", o.text("window", ""));
        if (!o.text("workers", "").isEmpty()) env.put("RINGFENCE_DELIVERY_WORKERS", o.text("workers", ""));
        env.put("JAVA_OPTS", "-Xmx" + o.text("serverHeap", "1g") + " -Djava.net.preferIPv4Stack=true " + o.text("jvm_opts", ""));
        // The launcher script execs nothing: ask it to stay and to pass signals on.
        env.put("LAUNCH_JBOSS_IN_BACKGROUND", "true");
        env.put("JBOSS_PIDFILE", base.resolve("pid").toString());
        console = base.resolve("console.log");
        Process launcher = b.redirectErrorStream(true).redirectOutput(console.toFile()).start();
        return new ServerProcess(launcher, base.resolve("pid"));
    }

    private void awaitReady() throws Exception {
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(240);
        HttpRequest clock = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ringfence/api/v1/clock"))
                .header("Authorization", "Bearer " + ADMIN).timeout(Duration.ofSeconds(2)).build();
        while (true) {
            try {
                if (http.send(clock, HttpResponse.BodyHandlers.discarding()).statusCode() == 200) return;
            } catch (IOException e) {
                // not up yet
            }
            if (!server.isAlive() || System.nanoTime() > limit) throw new IOException("the server did not get ready");
            Thread.sleep(100);
        }
    }

    private static int offset() throws IOException {
        try (ServerSocket s = new ServerSocket(0)) {
            return 10_000 + s.getLocalPort() % 20_000;
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes a) throws IOException {
                String name = from.relativize(dir).toString();
                if (Stream.of("log", "tmp", "data").anyMatch(name::equals)) return FileVisitResult.SKIP_SUBTREE;
                Files.createDirectories(to.resolve(name));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes a) throws IOException {
                Files.copy(file, to.resolve(from.relativize(file).toString()), StandardCopyOption.REPLACE_EXISTING);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** The launcher script's process with the pid of the JVM that it started. */
    private static final class ServerProcess extends Process {
        private final Process launcher;
        private final Path pidFile;

        ServerProcess(Process launcher, Path pidFile) {
            this.launcher = launcher;
            this.pidFile = pidFile;
        }

        @Override
        public long pid() {
            try {
                return Long.parseLong(Files.readString(pidFile).trim());
            } catch (IOException e) {
                throw new IllegalStateException("no pid file", e);
            }
        }

        @Override
        public java.io.OutputStream getOutputStream() {
            return launcher.getOutputStream();
        }

        @Override
        public java.io.InputStream getInputStream() {
            return launcher.getInputStream();
        }

        @Override
        public java.io.InputStream getErrorStream() {
            return launcher.getErrorStream();
        }

        @Override
        public int waitFor() throws InterruptedException {
            return launcher.waitFor();
        }

        @Override
        public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
            return launcher.waitFor(timeout, unit);
        }

        @Override
        public int exitValue() {
            return launcher.exitValue();
        }

        @Override
        public void destroy() {
            ProcessHandle.of(pid()).ifPresent(ProcessHandle::destroy);
        }

        @Override
        public Process destroyForcibly() {
            ProcessHandle.of(pid()).ifPresent(ProcessHandle::destroyForcibly);
            launcher.destroyForcibly();
            return this;
        }

        @Override
        public boolean isAlive() {
            return launcher.isAlive();
        }
    }
}
