package dev.ringfence.fence;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/**
 * Finds out whether session locks work on the pinned connections (FN-8). A session tells its backend's number twice: when it opens, and
 * when asked. Where both are the same nothing stands between; where not, a pooler does, and it is tried whether it moves a connection from
 * one backend to another while somebody else is busy.
 */
@ApplicationScoped
public class SessionProbe {
    private static final Logger LOG = System.getLogger(SessionProbe.class.getName());
    private static final int SECONDS = 3;
    private static final int ROUNDS = 5;

    private final Supplier<DataSource> pinned;
    private volatile SessionKind last = SessionKind.UNKNOWN;

    @Inject
    public SessionProbe(DataSources dataSources) {
        this(dataSources::pinned);
    }

    SessionProbe(Supplier<DataSource> pinned) {
        this.pinned = pinned;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    protected SessionProbe() {
        this((Supplier<DataSource>) null);
    }

    /** Looks, and logs what is new and bad about it. One round trip where nothing stands between; bounded. */
    public SessionKind look() {
        SessionKind seen = kind();
        if (seen == SessionKind.POOLED_TRANSACTIONS && seen != last) {
            LOG.log(
                    Level.ERROR,
                    "The pinned connections pass a pooler in transaction mode, which breaks session locks: no fence holds."
                            + " Set ringfence.db.pinned.url to PostgreSQL itself.");
        }
        last = seen;
        return seen;
    }

    private SessionKind kind() {
        try (Connection connection = pinned.get().getConnection()) {
            if (backend(connection) == connection.unwrap(PGConnection.class).getBackendPID()) {
                return SessionKind.DIRECT;
            }
            return moves(connection) ? SessionKind.POOLED_TRANSACTIONS : SessionKind.POOLED_SESSIONS;
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "what stands before the database cannot be seen: {0}", e.getMessage());
            return SessionKind.UNKNOWN;
        }
    }

    /** True where the connection's backend was lent to another between two of its statements, or changed. */
    private boolean moves(Connection connection) throws SQLException {
        for (int round = 0; round < ROUNDS; round++) {
            int before = backend(connection);
            try (Connection other = pinned.get().getConnection()) {
                other.setAutoCommit(false);
                try {
                    if (backend(other) == before || backend(connection) != before) {
                        return true;
                    }
                } finally {
                    other.rollback();
                    other.setAutoCommit(true);
                }
            }
        }
        return false;
    }

    private static int backend(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(SECONDS);
            try (var row = statement.executeQuery("select pg_backend_pid()")) {
                row.next();
                return row.getInt(1);
            }
        }
    }
}
