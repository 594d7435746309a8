package dev.ringfence.fanout;

import dev.ringfence.config.DataSources;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the container's transactions: one connection per thread and transaction, shared by all who ask for one inside, as a
 * JTA data source does it.
 */
public final class LocalTransactions extends DataSources {

    private final DataSource database;
    private final ThreadLocal<@Nullable Connection> current = new ThreadLocal<>();

    public LocalTransactions(DataSource database) {
        this.database = database;
    }

    public <T> T requiresNew(Supplier<T> work) {
        Connection outer = current.get();
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            current.set(connection);
            T result = work.get();
            connection.commit();
            return result;
        } catch (SQLException e) {
            throw new IllegalStateException("commit failed", e);
        } finally {
            current.set(outer);
        }
    }

    @Override
    public DataSource jta() {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    Connection connection = current.get();
                    return connection == null ? method.invoke(database, args) : unclosable(connection);
                });
    }

    private static Connection unclosable(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                LocalTransactions.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("close")) {
                        return null;
                    }
                    try {
                        return method.invoke(connection, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
