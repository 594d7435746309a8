package dev.ringfence.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import liquibase.Liquibase;
import liquibase.Scope;
import liquibase.UpdateSummaryEnum;
import liquibase.changelog.ChangeSet;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.exception.LiquibaseException;
import liquibase.resource.ClassLoaderResourceAccessor;
import liquibase.ui.LoggerUIService;

/** Our Liquibase change log, from the class path, against one database. */
public final class ChangeLog {
    /** The schema that holds all our tables and Liquibase's own. */
    public static final String SCHEMA = "ringfence";

    private static final String FILE = "liquibase/changelog.xml";

    /** Kept, because java.util.logging forgets the level of a logger that nobody holds. */
    private static final Logger LIQUIBASE_LOG = Logger.getLogger("liquibase");

    private static final int LIQUIBASE_LOCK_MINUTES = 1;

    private final DataSource sessions;
    private final Duration wait;

    /**
     * @param sessions gives sessions outside any transaction of a server; at most two are open at a time
     * @param wait how long to wait for another node that is migrating the same database
     */
    public ChangeLog(DataSource sessions, Duration wait) {
        this.sessions = sessions;
        this.wait = wait;
        if (LIQUIBASE_LOG.getLevel() == null) {
            LIQUIBASE_LOG.setLevel(Level.WARNING);
        }
    }

    /**
     * Applies what is pending; does nothing where nothing is. Nodes that start at once take turns.
     *
     * @throws IllegalStateException when the database cannot be brought up to date; the message says what to do
     */
    public void update() {
        try (var turn = MigrationTurn.take(sessions, wait)) {
            createSchema();
            withLiquibase(liquibase -> liquibase.update(""));
        } catch (SQLException | LiquibaseException e) {
            throw new IllegalStateException(failure(e), e);
        }
    }

    /**
     * Names the change sets that the database does not have yet. Only reads, and needs no more than SELECT on
     * {@code ringfence.databasechangelog}.
     *
     * @throws IllegalStateException when the database cannot be read
     */
    public List<String> pending() {
        try (MigrationSession session = MigrationSession.open(sessions)) {
            Set<String> applied = applied(session.connection());
            return call(
                    session.connection(),
                    liquibase -> liquibase.getDatabaseChangeLog().getChangeSets().stream()
                            .map(ChangeLog::name)
                            .filter(name -> !applied.contains(name))
                            .toList());
        } catch (SQLException | LiquibaseException e) {
            throw new IllegalStateException("The schema of the database cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Takes back every change set, newest first. The database refuses it while a tenant is enrolled (RT-3, SQLSTATE
     * RF090). For tests and for an administrator's console; the application never calls it.
     */
    void rollbackAll() throws SQLException, LiquibaseException {
        withLiquibase(liquibase -> liquibase.rollback(
                liquibase.getDatabaseChangeLog().getChangeSets().size(), ""));
    }

    /** As {@link #rollbackAll}, only down to a change set, which is the last that is taken back; named {@code author:id}. */
    void rollbackTo(String changeSet) throws SQLException, LiquibaseException {
        withLiquibase(liquibase -> {
            List<String> names = liquibase.getDatabaseChangeLog().getChangeSets().stream()
                    .map(ChangeLog::name)
                    .toList();
            liquibase.rollback(names.size() - names.indexOf(changeSet), "");
        });
    }

    /** Asks first: CREATE SCHEMA IF NOT EXISTS demands the right to create one even where it exists. */
    private void createSchema() throws SQLException {
        try (Connection connection = sessions.getConnection();
                var statement = connection.createStatement()) {
            boolean present;
            try (var rows = statement.executeQuery("select to_regnamespace('" + SCHEMA + "') is not null")) {
                rows.next();
                present = rows.getBoolean(1);
            }
            if (!present) {
                statement.execute("create schema " + SCHEMA);
            }
        }
    }

    private static Set<String> applied(Connection connection) throws SQLException {
        Set<String> names = new HashSet<>();
        try (var statement = connection.createStatement()) {
            try (var present =
                    statement.executeQuery("select to_regclass('ringfence.databasechangelog') is not null")) {
                present.next();
                if (!present.getBoolean(1)) {
                    return names;
                }
            }
            try (var rows = statement.executeQuery("select id, author from ringfence.databasechangelog")) {
                while (rows.next()) {
                    names.add(rows.getString(2) + ":" + rows.getString(1));
                }
            }
        }
        return names;
    }

    private static String name(ChangeSet changeSet) {
        return changeSet.getAuthor() + ":" + changeSet.getId();
    }

    private void withLiquibase(Action action) throws SQLException, LiquibaseException {
        try (MigrationSession session = MigrationSession.open(sessions)) {
            call(session.connection(), liquibase -> {
                action.run(liquibase);
                return Boolean.TRUE;
            });
        }
    }

    /**
     * On a thread that ends with it: Liquibase leaves its scope in a thread-local that every thread made later inherits, and a pooled
     * thread of the server would keep the application's class loader alive after a redeployment.
     */
    private static <T> T call(Connection connection, Question<T> question) throws LiquibaseException {
        FutureTask<T> task = new FutureTask<>(() -> ask(connection, question));
        Thread thread = new Thread(task, "ringfence-liquibase");
        thread.setDaemon(true);
        thread.start();
        try {
            T answer = task.get();
            thread.join();
            return answer;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof LiquibaseException refused ? refused : new LiquibaseException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LiquibaseException("interrupted while the database was brought up to date", e);
        }
    }

    private static <T> T ask(Connection connection, Question<T> question) throws LiquibaseException {
        // No use statistics are sent anywhere, and a lock that a killed process left behind is waited for briefly.
        Map<String, Object> scope = Map.of(
                Scope.Attr.ui.name(),
                new LoggerUIService(),
                Scope.Attr.resourceAccessor.name(),
                new ClassLoaderResourceAccessor(ChangeLog.class.getClassLoader()),
                "liquibase.analytics.enabled",
                false,
                "liquibase.changelogLockWaitTimeInMinutes",
                LIQUIBASE_LOCK_MINUTES,
                "liquibase.changelogLockPollRate",
                1);
        try {
            return Scope.child(scope, () -> {
                var database =
                        DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(connection));
                database.setDefaultSchemaName(SCHEMA);
                database.setLiquibaseSchemaName(SCHEMA);
                Liquibase liquibase =
                        new Liquibase(FILE, Scope.getCurrentScope().getResourceAccessor(), database);
                liquibase.setShowSummary(UpdateSummaryEnum.OFF);
                return question.ask(liquibase);
            });
        } catch (LiquibaseException e) {
            throw e;
        } catch (Exception e) {
            throw new LiquibaseException(e);
        }
    }

    private static String failure(Exception e) {
        return "The schema of the database could not be brought up to date: " + e.getMessage()
                + " (Where the message speaks of a change log lock and no other process is migrating, a process was killed"
                + " while it held the lock: delete from ringfence.databasechangeloglock, then start again.)";
    }

    private interface Action {
        void run(Liquibase liquibase) throws LiquibaseException;
    }

    private interface Question<T> {
        T ask(Liquibase liquibase) throws LiquibaseException;
    }
}
