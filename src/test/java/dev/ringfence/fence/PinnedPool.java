package dev.ringfence.fence;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.DataSource;
import javax.sql.PooledConnection;
import org.postgresql.ds.PGConnectionPoolDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A pool as the server's is: closing a handle keeps the session, its settings and its advisory locks; a connection is checked
 * before it is lent again.
 */
final class PinnedPool implements DataSource, AutoCloseable {

    private final PGConnectionPoolDataSource source = new PGConnectionPoolDataSource();
    private final Deque<PooledConnection> idle = new ArrayDeque<>();
    private final Semaphore size;

    PinnedPool(DataSource like, int size) {
        PGSimpleDataSource template = (PGSimpleDataSource) like;
        source.setUrl(template.getUrl());
        source.setUser(template.getUser());
        source.setCurrentSchema(template.getCurrentSchema());
        source.setApplicationName("ringfence-pinned");
        this.size = new Semaphore(size);
    }

    @Override
    public Connection getConnection() throws SQLException {
        try {
            if (!size.tryAcquire(500, TimeUnit.MILLISECONDS)) {
                throw new SQLTransientConnectionException("the pool is exhausted");
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new SQLException(stop);
        }
        try {
            return lend();
        } catch (SQLException broken) {
            size.release();
            throw broken;
        }
    }

    private synchronized Connection lend() throws SQLException {
        while (!idle.isEmpty()) {
            PooledConnection known = idle.removeLast();
            try {
                Connection connection = known.getConnection();
                if (connection.isValid(1)) {
                    return connection;
                }
            } catch (SQLException dead) {
                known.close();
            }
        }
        PooledConnection fresh = source.getPooledConnection();
        fresh.addConnectionEventListener(new ConnectionEventListener() {
            @Override
            public void connectionClosed(ConnectionEvent event) {
                takeBack(fresh);
            }

            @Override
            public void connectionErrorOccurred(ConnectionEvent event) {}
        });
        return fresh.getConnection();
    }

    private synchronized void takeBack(PooledConnection connection) {
        idle.addLast(connection);
        size.release();
    }

    @Override
    public synchronized void close() throws SQLException {
        for (PooledConnection connection : idle) {
            connection.close();
        }
        idle.clear();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    public PrintWriter getLogWriter() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setLoginTimeout(int seconds) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("pool");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
