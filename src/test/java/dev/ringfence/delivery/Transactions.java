package dev.ringfence.delivery;

import dev.ringfence.config.DataSources;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import javax.sql.DataSource;

/**
 * Stands in for the transaction manager where no server runs: within {@link #required}, the thread's JTA data source hands out one
 * and the same connection, and commits it at the end. The connections are real.
 */
public final class Transactions extends DataSources {
    private final DataSource database;
    private final ThreadLocal<Connection> current = new ThreadLocal<>();

    public Transactions(DataSource database) {
        this.database = database;
    }

    /** Runs the work in a transaction of its own: committed when it returns, rolled back when it throws. */
    public <T> T required(Callable<T> work) {
        Connection suspended = current.get();
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            current.set(connection);
            try {
                T result = work.call();
                connection.commit();
                return result;
            } catch (RuntimeException e) {
                connection.rollback();
                throw e;
            } catch (Exception e) {
                connection.rollback();
                throw new IllegalStateException(e);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } finally {
            current.set(suspended);
        }
    }

    @Override
    public DataSource jta() {
        return proxy(DataSource.class, (method, args) -> method.equals("getConnection") ? handle() : null);
    }

    @Override
    public DataSource pinned() {
        return database;
    }

    private Connection handle() throws SQLException {
        Connection real = current.get();
        if (real == null) {
            return database.getConnection();
        }
        return (Connection) Proxy.newProxyInstance(
                Transactions.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("close")) {
                        return null;
                    }
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private interface Handler {
        Object handle(String method, Object[] args) throws Exception;
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> handler.handle(method.getName(), args)));
    }
}
