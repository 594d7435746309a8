package dev.ringfence.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A server, WildFly or Payara ({@link ServerForm#chosen}), with our WAR as a child process, on free ports and on a base directory of its own, so that several run
 * side by side and one can be killed like a machine that loses power.
 *
 * <p>Configuration travels in the environment, as in production, so no secret shows in a process list.
 */
public final class ServerProcess implements AutoCloseable {
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();

    private final Path base;
    private final ServerForm form = ServerForm.chosen();
    private final ServerPorts ports;
    private final boolean deploys;
    private final Map<String, String> environment;
    private final List<String> jvm;
    private final Duration startLimit;
    private volatile @Nullable Process process;

    private ServerProcess(Builder builder) {
        this.base = builder.base;
        this.ports = new ServerPorts(builder.port == 0 ? freePort() : builder.port, freePort());
        this.deploys = builder.deploys;
        this.environment = Map.copyOf(builder.environment);
        this.jvm = builder.jvm(form);
        this.startLimit = builder.startLimit;
    }

    /**
     * A server of a test that is not started yet; {@code name} names its base directory under the run's work directory. Its JVM is set up to
     * be up soon, see {@link ServerForm#brief}.
     */
    public static Builder named(String name) {
        return new Builder(HarnessFiles.work().resolve(kind() + "-" + name), true);
    }

    /** A server that is not started yet, on this base directory, with a JVM as users have it. */
    public static Builder at(Path base) {
        return new Builder(base, false);
    }

    /**
     * {@link #launch} and {@link #awaitReady}.
     *
     * @throws IllegalStateException when the server ends or the deployment fails; the message holds the end of its log
     */
    public ServerProcess start() {
        launch();
        awaitReady();
        return this;
    }

    /** Copies the installed server's base directory, deploys the WAR and starts the process, without waiting for it. */
    public void launch() {
        if (isRunning()) {
            throw new IllegalStateException("already running");
        }
        try {
            prepare();
            process = startProcess();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until the API answers; a server that does not come so far is killed, see {@link #start}. */
    public void awaitReady() {
        try {
            Awaitility.await("server on port " + ports.http())
                    .pollInterval(Duration.ofMillis(100))
                    .atMost(startLimit)
                    .until(this::ready);
        } catch (RuntimeException e) {
            kill9();
            throw new IllegalStateException("the server did not start: " + e.getMessage() + "\n" + logTail(60), e);
        }
    }

    /** Puts the WAR in place again while the server runs: it takes the application away and starts it anew, in its own time. */
    public void redeploy() {
        try {
            form.deploy(base, HarnessFiles.war());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@link #kill9} or {@link #stop} came before: starts again on the same base directory, ports and database. */
    public ServerProcess restart() {
        return start();
    }

    private void prepare() throws IOException {
        form.prepare(base, ports);
        if (deploys) {
            form.deploy(base, HarnessFiles.war());
        }
    }

    private Process startProcess() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(form.command(base, ports, jvm))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(consoleFile().toFile()))
                .redirectInput(ProcessBuilder.Redirect.from(nullDevice()));
        builder.environment().putAll(environment);
        return builder.start();
    }

    private Path consoleFile() {
        return form.log(base).resolveSibling("console.log");
    }

    private static java.io.File nullDevice() {
        boolean windows = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("win");
        return new java.io.File(windows ? "NUL" : "/dev/null");
    }

    private boolean ready() throws IOException {
        if (!isRunning()) {
            throw new IllegalStateException("the process ended");
        }
        if (form.deploymentFailed(base)) {
            throw new IllegalStateException("the deployment failed");
        }
        try {
            int status = HTTP.send(
                            HttpRequest.newBuilder(api().resolve("clock"))
                                    .timeout(Duration.ofSeconds(2))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
            return deploys ? status == 200 || status == 401 : status > 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Base of the HTTP API, with a slash at the end. */
    public URI api() {
        return URI.create("http://127.0.0.1:" + ports.http() + "/ringfence/api/v1/");
    }

    /** Readiness, where this server tells it: 200 is up, 503 is down. */
    public URI health() {
        return form.health(ports);
    }

    /** TCP port of the application. */
    public int port() {
        return ports.http();
    }

    /** TCP port of the server's administration. */
    int managementPort() {
        return ports.management();
    }

    /** Tells whether the process lives. */
    public boolean isRunning() {
        return process != null && process.isAlive();
    }

    /** Completes when the process that was started last has ended. */
    public CompletableFuture<?> ended() {
        return process == null ? CompletableFuture.completedFuture(null) : process.onExit();
    }

    /** Process id of the running server. */
    public long pid() {
        if (process == null) {
            throw new IllegalStateException("not started");
        }
        return process.pid();
    }

    /** Ends the process the way {@code kill -9} does, and waits until the operating system has taken it away. */
    public void kill9() {
        if (process != null) {
            process.destroyForcibly();
            awaitEnd(30);
        }
    }

    /** Asks the server to stop (SIGTERM) and waits; kills it when it has not ended after 30 s. */
    public void stop() {
        if (process != null) {
            process.destroy();
            if (!awaitEnd(30)) {
                kill9();
            }
        }
    }

    private boolean awaitEnd(long seconds) {
        try {
            return process == null || process.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The table of the Batch runtime's executions, with {@code batchstatus}. */
    public String batchExecutions() {
        return form.batchExecutions();
    }

    /** The server's log. */
    public Path log() {
        return form.log(base);
    }

    /** What tells most about a start that failed. */
    public Path console() {
        return form.console(base);
    }

    /** The server of this run: {@code wildfly} or {@code payara}. */
    public static String kind() {
        return ServerForm.KIND;
    }

    /** The last lines of what the server printed; empty where it printed nothing. */
    public String logTail(int lines) {
        Path console = form.console(base);
        if (!Files.exists(console)) {
            return "";
        }
        try (Stream<String> all = Files.lines(console, StandardCharsets.UTF_8)) {
            List<String> read = all.toList();
            return String.join("\n", read.subList(Math.max(0, read.size() - lines), read.size()));
        } catch (IOException e) {
            return "(log unreadable: " + e.getMessage() + ")";
        }
    }

    @Override
    public void close() {
        stop();
    }

    /** A TCP port of 127.0.0.1 that nothing listens on right now. */
    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether nothing listens on a TCP port of 127.0.0.1 right now. */
    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, java.net.InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    /** How a server is set up. */
    public static final class Builder {
        private final Path base;
        private final boolean brief;
        private final Map<String, String> environment = new HashMap<>();
        private int port;
        private String heap = "512m";
        private boolean deploys = true;
        private Duration startLimit = Duration.ofMinutes(5);

        private Builder(Path base, boolean brief) {
            this.base = base;
            this.brief = brief;
        }

        private List<String> jvm(ServerForm form) {
            List<String> jvm = new ArrayList<>(List.of("-Xms64m", "-Xmx" + heap));
            if (brief) {
                jvm.addAll(form.brief());
            }
            return jvm;
        }

        /** The database; on each server of a cluster the same. */
        public Builder database(TestDatabase database) {
            return database(database.url(), database.user(), "trusted");
        }

        /** The database by URL (without parameters), user and password. */
        public Builder database(String url, String user, String password) {
            return env("RINGFENCE_DB_URL", url).env("RINGFENCE_DB_USER", user).env("RINGFENCE_DB_PASSWORD", password);
        }

        /** A configuration property of the application, for example {@code ringfence.delivery.workers}. */
        public Builder config(String property, String value) {
            return env(property.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT), value);
        }

        /** An environment variable. */
        public Builder env(String name, String value) {
            environment.put(name, value);
            return this;
        }

        /** TCP port of the application; a free one where this is not called. */
        public Builder port(int value) {
            this.port = value;
            return this;
        }

        /** Java heap, for example {@code 1g}; 512 MiB where this is not called. */
        public Builder heap(String value) {
            this.heap = value;
            return this;
        }

        /** How long {@link ServerProcess#start} waits at most. */
        public Builder startLimit(Duration value) {
            this.startLimit = value;
            return this;
        }

        /** The server starts without our WAR: others deploy it. */
        Builder empty() {
            this.deploys = false;
            return this;
        }

        /** A server that is not started yet. */
        public ServerProcess build() {
            return new ServerProcess(this);
        }

        /** A server that answers. */
        public ServerProcess start() {
            return build().start();
        }
    }
}
