package dev.ringfence.harness;

import dev.ringfence.config.DataSources;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the container's transactions where no server runs: within {@link #inNew} the JTA data source hands out one and the same
 * connection to all who ask for one on that thread. Outside it, and as pinned ones, connections are sessions of their own. All are real.
 */
public final class LocalTransactions extends DataSources {

    private final DataSource database;
    private final ThreadLocal<@Nullable Connection> current = new ThreadLocal<>();

    public LocalTransactions(DataSource database) {
        this.database = database;
    }

    /** Does the work in a transaction of its own, which suspends an outer one: committed when it returns, rolled back when it throws. */
    public <T> T inNew(Callable<T> work) {
        Connection suspended = current.get();
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            current.set(connection);
            return committed(connection, work);
        } catch (SQLException e) {
            throw new IllegalStateException("the transaction failed", e);
        } finally {
            current.set(suspended);
        }
    }

    private static <T> T committed(Connection connection, Callable<T> work) throws SQLException {
        try {
            T result = work.call();
            connection.commit();
            return result;
        } catch (RuntimeException | SQLException e) {
            connection.rollback();
            throw e;
        } catch (Exception e) {
            connection.rollback();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public DataSource jta() {
        return BorrowedConnection.dataSource(() -> {
            Connection connection = current.get();
            return connection == null ? database.getConnection() : BorrowedConnection.of(connection, () -> {});
        });
    }

    @Override
    public DataSource pinned() {
        return database;
    }
}
