package dev.ringfence.quickstart;

import dev.ringfence.harness.PostgresServer;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Base64;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Starts PostgreSQL and the server, runs the demo, and stays until it is asked to stop (Ctrl-C, SIGTERM). Run by
 * {@code ./mvnw -Pquickstart}.
 */
public final class QuickStart {
    private static final Logger LIBRARIES = Logger.getLogger("");
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private final Options options;
    private final Running running = new Running();
    private volatile Optional<Path> log = Optional.empty();

    private QuickStart(Options options) {
        this.options = options;
    }

    /** Takes no arguments; see {@link Options} for the system properties. Exit code 0 after a stop, else 1. */
    public static void main(String[] arguments) {
        LIBRARIES.setLevel(Level.WARNING);
        try {
            new QuickStart(Options.fromSystemProperties()).run();
        } catch (Refused refused) {
            OUT.println(refused.getMessage());
            System.exit(1);
        }
    }

    private void run() {
        try (Home home = Home.open(options)) {
            running.stopWithTheProcess();
            Leftovers.end(home);
            int port = port(home);
            ServerProcess server = start(home, port);
            Demo demo = new Demo(new RingfenceClient(server.api(), adminKey(home)), home, OUT);
            demo.run();
            new Report(server, home, OUT).print(demo.deliveries());
            server.ended().join();
            if (!running.isStopping()) {
                throw new Refused("The server ended by itself; its log: " + server.log());
            }
            running.awaitStopped();
        } catch (IOException e) {
            throw new Refused("Cannot use " + options.home() + ": " + e.getMessage());
        } catch (RuntimeException | AssertionError e) {
            if (running.isStopping()) {
                running.awaitStopped();
                return;
            }
            throw e instanceof Refused refused
                    ? refused
                    : new Refused(oneLine(e) + log.map(file -> " Log: " + file).orElse(""));
        }
    }

    private static String oneLine(Throwable e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("").replaceFirst("[.:]$", "") + ".";
    }

    private ServerProcess start(Home home, int port) {
        ServerProcess.Builder builder = ServerProcess.at(home.path("server-" + ServerProcess.kind()))
                .port(port)
                .config("ringfence.bootstrap.admin-key", adminKey(home))
                .config("ringfence.secrets.key", home.remember("secrets.key", () -> random(32, true)))
                .config("ringfence.egress.allow", "127.0.0.1/32");
        if (options.databaseUrl().isPresent()) {
            String url = options.databaseUrl().get();
            checkReachable(url);
            builder.database(url, options.databaseUser(), options.databasePassword());
        } else {
            OUT.println("Starting PostgreSQL on " + home.path("postgres") + " …");
            PostgresServer postgres = running.start(() -> postgres(home));
            builder.database(postgres.url("ringfence"), PostgresServer.USER, "trusted");
        }
        OUT.println("Starting " + ServerProcess.kind() + " on port " + port + " …");
        ServerProcess server = running.start(() -> {
            ServerProcess process = builder.build();
            log = Optional.of(process.console());
            process.launch();
            home.put("server.pid", String.valueOf(process.pid()));
            return process;
        });
        server.awaitReady();
        return server;
    }

    /** Tells a wrong address or login at once, and not by a server that does not come up. */
    private void checkReachable(String url) {
        try (Connection connection =
                DriverManager.getConnection(url, options.databaseUser(), options.databasePassword())) {
            connection.getMetaData();
        } catch (SQLException e) {
            throw new Refused("Cannot use " + url + ": " + oneLine(e));
        }
    }

    private static PostgresServer postgres(Home home) throws IOException, SQLException {
        PostgresServer postgres = PostgresServer.start(home.path("postgres"), home.path("postgres-bin"));
        if (!postgres.hasDatabase("ringfence")) {
            postgres.createDatabase("ringfence", "");
        }
        return postgres;
    }

    /** The port to listen on: one that is free, and the one where the demo's subscription delivers to. */
    private int port(Home home) {
        int port = options.port()
                .orElseGet(() -> home.find("port").map(Integer::valueOf).orElse(8080));
        home.find("subscription.id").flatMap(id -> home.find("port")).ifPresent(before -> {
            if (Integer.parseInt(before) != port) {
                throw new Refused("The demo on " + options.home() + " delivers to port " + before
                        + ": start it with -Dringfence.port=" + before + ", or another with -Dringfence.home=.");
            }
        });
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new Refused(
                    "Port " + port + " is taken: stop what uses it, or choose another with -Dringfence.port=.");
        }
        home.put("port", String.valueOf(port));
        return port;
    }

    private static String adminKey(Home home) {
        return home.remember("admin.key", () -> "rfk_" + random(32, false));
    }

    static String random(int bytes, boolean padded) {
        byte[] value = new byte[bytes];
        new SecureRandom().nextBytes(value);
        return padded
                ? Base64.getEncoder().encodeToString(value)
                : Base64.getUrlEncoder().withoutPadding().encodeToString(value);
    }
}
