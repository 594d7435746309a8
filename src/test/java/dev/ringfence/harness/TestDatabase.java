package dev.ringfence.harness;

import dev.ringfence.schema.ChangeLog;
import dev.ringfence.schema.PartitionsRepository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A database of one test class, dropped when closed. All databases live in one PostgreSQL server that starts with the first
 * of them and ends with the test run.
 *
 * <pre>{@code
 * static final TestDatabase DATABASE = TestDatabase.migrated();
 *
 * @AfterAll
 * static void drop() {
 *     DATABASE.close();
 * }
 * }</pre>
 */
public final class TestDatabase implements AutoCloseable {
    private static final String TEMPLATE = "ringfence_template";
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static @Nullable PostgresServer server;
    private static boolean templateReady;

    private final String name;
    private final String owner;
    private final String user;

    private TestDatabase(String name, String owner, String user) {
        this.name = name;
        this.owner = owner;
        this.user = user;
    }

    /** An empty database: no schema, no tables. */
    public static TestDatabase empty() {
        return create("");
    }

    /** A database at the newest state of our change log; takes well under a second but for the first of a run. */
    public static TestDatabase migrated() {
        prepareTemplate();
        return create(TEMPLATE);
    }

    /**
     * A database as {@code server-config/postgresql/roles.sql} wants it in production: {@code ringfence_owner} has migrated it and owns
     * the schema, {@link #user} is {@code ringfence_app}. Servers on it need {@code ringfence.schema.migrate=false}.
     */
    public static TestDatabase leastPrivilege() {
        TestDatabase database = new TestDatabase(create("").name, "ringfence_owner", "ringfence_app");
        database.applyRoles();
        migrate(database.dataSource());
        database.applyRoles();
        return database;
    }

    private void applyRoles() {
        try (Connection connection = superuser();
                var statement = connection.createStatement()) {
            statement.execute(Files.readString(Path.of("server-config/postgresql/roles.sql")));
        } catch (SQLException | IOException e) {
            throw new IllegalStateException("cannot apply the roles to " + name, e);
        }
    }

    private static TestDatabase create(String template) {
        String name = "test_" + COUNT.incrementAndGet();
        try {
            server().createDatabase(name, template);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot create database " + name, e);
        }
        return new TestDatabase(name, PostgresServer.USER, PostgresServer.USER);
    }

    private static synchronized void prepareTemplate() {
        if (templateReady) {
            return;
        }
        try {
            server().createDatabase(TEMPLATE, "");
            migrate(server().dataSource(TEMPLATE));
            templateReady = true;
        } catch (SQLException e) {
            throw new IllegalStateException("cannot prepare the template database", e);
        }
    }

    /** Brings any database to the newest state of our change log and makes its partitions, as the application does at start. */
    public static void migrate(DataSource target) {
        new ChangeLog(target, Duration.ofMinutes(1)).update();
        PartitionsRepository.ensure(target, Instant.now(), PartitionsRepository.WEEKS_AHEAD);
    }

    /** The PostgreSQL server of this test run, started when first asked for. */
    public static synchronized PostgresServer server() {
        if (server == null) {
            try {
                HarnessFiles.delete(data());
                server = PostgresServer.start(data(), HarnessFiles.work().resolve("postgres-bin"));
            } catch (IOException e) {
                throw new IllegalStateException("cannot start PostgreSQL", e);
            }
        }
        return server;
    }

    private static Path data() {
        return HarnessFiles.work().resolve("postgres-" + ProcessHandle.current().pid());
    }

    static synchronized void stopServer() {
        if (server != null) {
            try {
                server.close();
                HarnessFiles.delete(data());
            } catch (IOException e) {
                throw new IllegalStateException("cannot stop PostgreSQL", e);
            } finally {
                server = null;
                templateReady = false;
            }
        }
    }

    /** Name of the database. */
    public String name() {
        return name;
    }

    /** JDBC URL without parameters: what {@code RINGFENCE_DB_URL} takes. */
    public String url() {
        return server().url(name);
    }

    /** Whom servers log in as, not a superuser; needs no password. The owner of the schema, but for {@link #leastPrivilege}. */
    public String user() {
        return user;
    }

    /** Unpooled sessions of the owner in schema {@code ringfence}. */
    public DataSource dataSource() {
        return server().dataSource(name, owner);
    }

    /** A new session of the owner in schema {@code ringfence}; the caller closes it. */
    public Connection connect() {
        try {
            return dataSource().getConnection();
        } catch (SQLException e) {
            throw new IllegalStateException("no connection to " + name, e);
        }
    }

    /** A new session of the superuser: to look at the server or to break something from outside. */
    public Connection superuser() {
        try {
            return server().superuser(name);
        } catch (SQLException e) {
            throw new IllegalStateException("no connection to " + name, e);
        }
    }

    /** Runs statements that return nothing, as the owner. */
    public void execute(String sql) {
        try (Connection connection = connect();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** The first column of the first row, read as the owner in a session of its own. */
    public String text(String sql) {
        try (Connection connection = connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** As {@link #text}, a number. */
    public long number(String sql) {
        try (Connection connection = connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Ends every session of this database and drops it. */
    @Override
    public void close() {
        try {
            server().dropDatabase(name);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot drop " + name, e);
        }
    }
}
