package dev.ringfence.fence;

import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.postgresql.ds.PGSimpleDataSource;

/** A real PgBouncer before a test database. */
final class PgBouncer implements AutoCloseable {
    private static final List<Path> PLACES =
            List.of(Path.of("/usr/sbin/pgbouncer"), Path.of("/usr/bin/pgbouncer"), Path.of("/usr/local/bin/pgbouncer"));

    private final Process process;
    private final Path directory;
    private final int port;
    private final TestDatabase database;

    private PgBouncer(Process process, Path directory, int port, TestDatabase database) {
        this.process = process;
        this.directory = directory;
        this.port = port;
        this.database = database;
    }

    static Optional<Path> program() {
        return PLACES.stream().filter(Files::isExecutable).findFirst();
    }

    /** Starts one in that pool mode on a free port. */
    static PgBouncer start(TestDatabase database, String mode) throws IOException {
        int port = ServerProcess.freePort();
        URI server = URI.create(database.url().substring("jdbc:".length()));
        Path directory = Files.createTempDirectory(
                "pgbouncer", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Path users = Files.writeString(directory.resolve("users.txt"), "\"" + database.user() + "\" \"\"\n");
        Path settings = Files.writeString(directory.resolve("pgbouncer.ini"), """
                [databases]
                %s = host=127.0.0.1 port=%d
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = trust
                auth_file = %s
                pool_mode = %s
                default_pool_size = 10
                ignore_startup_parameters = extra_float_digits,search_path,options
                """.formatted(
                        database.name(), server.getPort(), port, users, mode));
        List<String> command = new ArrayList<>(List.of(program().orElseThrow().toString(), settings.toString()));
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(1, List.of("-u", "nobody"));
        }
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        PgBouncer bouncer = new PgBouncer(process, directory, port, database);
        Awaitility.await("PgBouncer listens").atMost(Duration.ofSeconds(30)).until(bouncer::listens);
        return bouncer;
    }

    private boolean listens() throws IOException {
        if (!process.isAlive()) {
            throw new IllegalStateException(Files.readString(directory.resolve("log")));
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    /** Sessions through it. */
    PGSimpleDataSource dataSource() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + port + "/" + database.name());
        source.setUser(database.user());
        source.setPrepareThreshold(0);
        return source;
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
