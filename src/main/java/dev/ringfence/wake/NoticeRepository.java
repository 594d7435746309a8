package dev.ringfence.wake;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * The nodes' way to tell each other through PostgreSQL. Outside JTA: a {@code NOTIFY} inside a business transaction would hold a
 * lock of the whole database at its commit, and XA refuses it (design decision 10).
 */
@ApplicationScoped
public class NoticeRepository {
    /** Nothing is lost with a notice that a crash takes away, so its commit need not wait for the disk. */
    private static final String TELL = "select set_config('synchronous_commit', 'off', true), pg_notify(?, ?)";

    private static final String CHANNEL = "ringfence_wake";

    /** The name shows in {@code pg_stat_activity} which session waits there for hours on purpose. */
    private static final String LISTEN = "set application_name = 'ringfence-listener'; listen " + CHANNEL;

    private static final String UNLISTEN = "unlisten *; reset application_name";
    private static final int TIMEOUT_SECONDS = 2;

    private final Supplier<DataSource> pinned;

    @Inject
    public NoticeRepository(DataSources dataSources) {
        this(dataSources::pinned);
    }

    NoticeRepository(Supplier<DataSource> pinned) {
        this.pinned = pinned;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    NoticeRepository() {
        this((Supplier<DataSource>) null);
    }

    void tell(Notice notice) throws SQLException {
        try (Connection connection = pinned.get().getConnection();
                var statement = connection.prepareStatement(TELL)) {
            statement.setQueryTimeout(TIMEOUT_SECONDS);
            statement.setString(1, CHANNEL);
            statement.setString(2, notice.text());
            statement.execute();
        }
    }

    /** Begins to listen; what is told before is not heard. */
    Ear listen() throws SQLException {
        Connection connection = pinned.get().getConnection();
        try {
            execute(connection, LISTEN);
            return new Ear(connection, connection.unwrap(PGConnection.class));
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(TIMEOUT_SECONDS);
            statement.execute(sql);
        }
    }

    /** A session that listens, until it is closed. For one thread. */
    static final class Ear implements AutoCloseable {
        private final Connection connection;
        private final PGConnection session;

        private Ear(Connection connection, PGConnection session) {
            this.connection = connection;
            this.session = session;
        }

        /** What came, or comes within that time. */
        List<Notice> hear(Duration within) throws SQLException {
            List<Notice> notices = new ArrayList<>();
            PGNotification[] heard = session.getNotifications((int) within.toMillis());
            if (heard != null) {
                for (PGNotification one : heard) {
                    notices.add(Notice.parse(one.getParameter()));
                }
            }
            return notices;
        }

        /** Throws where the session has gone without a word, which silence alone does not tell. */
        void check() throws SQLException {
            execute(connection, "select 1");
        }

        /** Listens no more before the pool lends the session to somebody else. */
        @Override
        public void close() throws SQLException {
            try (connection) {
                execute(connection, UNLISTEN);
            }
        }
    }
}
