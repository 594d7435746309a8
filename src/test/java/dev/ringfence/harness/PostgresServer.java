package dev.ringfence.harness;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL server of our own, with the settings of production where they decide what survives a crash: the packaged
 * default of embedded servers (no fsync, asynchronous commit) would make every crash test meaningless.
 */
public final class PostgresServer implements AutoCloseable {
    /** The role that owns the databases; not a superuser, so that a test notices what needs one. */
    public static final String USER = "ringfence";

    private static final Map<String, String> SETTINGS = Map.of(
            "fsync", "on",
            "synchronous_commit", "on",
            "full_page_writes", "on",
            "max_connections", "300",
            "shared_buffers", "256MB",
            "max_wal_size", "2GB",
            "timezone", "UTC",
            "listen_addresses", "127.0.0.1");

    private final EmbeddedPostgres postgres;

    private PostgresServer(EmbeddedPostgres postgres) {
        this.postgres = postgres;
    }

    /**
     * Starts a server on a free port.
     *
     * @param data its data directory; made where it is absent, taken as it is where it is present
     * @param binaries where the server's programs are unpacked; may be shared between servers of one user
     * @throws IOException when the server cannot start; the message names the cause
     */
    public static PostgresServer start(Path data, Path binaries) throws IOException {
        Files.createDirectories(data.toAbsolutePath().getParent());
        Files.createDirectories(binaries);
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setOverrideWorkingDirectory(binaries.toFile())
                .setRegisterShutdownHook(false)
                .setPGStartupWait(Duration.ofSeconds(60))
                .setOutputRedirector(ProcessBuilder.Redirect.DISCARD)
                .setLocaleConfig("locale", "C");
        SETTINGS.forEach(builder::setServerConfig);
        PostgresServer server = new PostgresServer(builder.start());
        try {
            server.createRole();
        } catch (SQLException e) {
            server.close();
            throw new IOException("PostgreSQL started but refused its first session", e);
        }
        return server;
    }

    private void createRole() throws SQLException {
        execute("postgres", """
                do $$ begin
                    if not exists (select from pg_roles where rolname = '%1$s') then create role %1$s login; end if;
                end $$""".formatted(USER));
    }

    /** TCP port on 127.0.0.1. */
    public int port() {
        return postgres.getPort();
    }

    /** JDBC URL without parameters or credentials. */
    public String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/" + database;
    }

    /** Makes an empty database owned by {@link #USER}, or a copy of {@code template} where that is not empty. */
    public void createDatabase(String database, String template) throws SQLException {
        String from = template.isEmpty() ? "" : " template \"" + template + "\"";
        execute("postgres", "create database \"" + database + "\" owner " + USER + from);
    }

    /** Tells whether the database exists. */
    public boolean hasDatabase(String database) throws SQLException {
        try (Connection connection = superuser("postgres");
                var statement = connection.prepareStatement("select 1 from pg_database where datname = ?")) {
            statement.setString(1, database);
            try (var rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    /** Ends every session of the database and drops it. */
    public void dropDatabase(String database) throws SQLException {
        execute("postgres", "drop database if exists \"" + database + "\" with (force)");
    }

    /** A session as the superuser: for what a test does to the server from outside, never for the code under test. */
    public Connection superuser(String database) throws SQLException {
        return dataSource(database, "postgres").getConnection();
    }

    /** Unpooled sessions of the owner, with the connection parameters of the provisioned server's data sources. */
    public PGSimpleDataSource dataSource(String database) {
        return dataSource(database, USER);
    }

    PGSimpleDataSource dataSource(String database, String user) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url(database));
        source.setUser(user);
        source.setCurrentSchema("ringfence");
        source.setStringType("unspecified");
        source.setApplicationName("ringfence-test");
        return source;
    }

    private void execute(String database, String sql) throws SQLException {
        try (Connection connection = superuser(database);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Stops the server and waits until it has ended; its data stay. */
    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
