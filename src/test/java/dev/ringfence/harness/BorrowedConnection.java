package dev.ringfence.harness;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.Callable;
import javax.sql.DataSource;

/** Connections that survive their {@code close}, as those of a pool or of a transaction do. */
public final class BorrowedConnection {

    private BorrowedConnection() {}

    /** The connection, to be closed by whoever borrows it: then it is only given back. */
    public static Connection of(Connection real, Runnable givenBack) {
        return (Connection) Proxy.newProxyInstance(
                BorrowedConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        givenBack.run();
                        return null;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** A data source of such connections; it can nothing but hand them out. */
    public static DataSource dataSource(Callable<Connection> lend) {
        return (DataSource) Proxy.newProxyInstance(
                BorrowedConnection.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> method.getName().equals("getConnection") ? lend.call() : null);
    }
}
