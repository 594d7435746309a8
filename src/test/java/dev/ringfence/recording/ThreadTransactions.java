package dev.ringfence.recording;

import dev.ringfence.config.DataSources;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * Transactions without a server: every connection that a thread asks for inside one is the same, as with JTA, and an exception
 * rolls back.
 */
final class ThreadTransactions extends DataSources {
    private final DataSource sessions;
    private final ThreadLocal<Connection> current = new ThreadLocal<>();

    ThreadTransactions(DataSource sessions) {
        this.sessions = sessions;
    }

    <T> T in(Supplier<T> work) {
        try (Connection connection = sessions.getConnection()) {
            connection.setAutoCommit(false);
            current.set(connection);
            try {
                T result = work.get();
                connection.commit();
                return result;
            } catch (RuntimeException e) {
                connection.rollback();
                throw e;
            } finally {
                current.remove();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public DataSource jta() {
        Connection connection = current.get();
        return connection == null ? sessions : proxy(DataSource.class, new Unclosed(connection).connection());
    }

    @Override
    public DataSource pinned() {
        return sessions;
    }

    private static DataSource proxy(Class<DataSource> type, Connection connection) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader() == null ? ThreadTransactions.class.getClassLoader() : type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> connection));
    }

    /** A connection whose {@code close} leaves it open for the transaction. */
    private record Unclosed(Connection target) {
        Connection connection() {
            return (Connection) Proxy.newProxyInstance(
                    ThreadTransactions.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            return null;
                        }
                        try {
                            return method.invoke(target, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }
}
