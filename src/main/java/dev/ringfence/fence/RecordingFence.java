package dev.ringfence.fence;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * The shared fence of work that is one transaction: a transaction-level lock of the tenant's key in that transaction (FN-1). It
 * ends with the transaction, whatever ends it.
 */
public final class RecordingFence {

    private static final String NOT_AVAILABLE = "55P03";

    private static final String LOCK = """
            with bound as materialized (select set_config('lock_timeout', ?, true) as millis)
            select pg_advisory_xact_lock_shared(?) from bound where millis is not null
            """;

    private RecordingFence() {}

    /**
     * Waits for the shared fence, at most {@code wait}, which stays the bound of every later lock wait of the transaction (FN-3).
     * Read the tenant's row in a statement after this one (FN-4).
     *
     * @param transaction a connection inside a transaction
     * @return false when it was not granted in time: the transaction has failed and can only be rolled back
     */
    public static boolean lockShared(Connection transaction, FenceKey key, Duration wait) throws SQLException {
        try (var statement = transaction.prepareStatement(LOCK)) {
            bind(statement, key, wait);
            statement.executeQuery().close();
            return true;
        } catch (SQLException refused) {
            return refusedInTime(refused);
        }
    }

    /**
     * As {@link #lockShared}, and what {@code read} selects, in one round trip. The database begins with the second command when the first is done,
     * and gives it a snapshot of its own, so it reads what was committed before the fence was granted (FN-4).
     *
     * @param read one command, without a semicolon
     * @param values binds the command's parameters, which begin at the number that it is given
     * @param rows reads its rows
     * @return empty when the fence was not granted in time: the transaction has failed and can only be rolled back
     */
    public static <T> Optional<T> lockSharedAndRead(
            Connection transaction, FenceKey key, Duration wait, String read, Values values, Rows<T> rows)
            throws SQLException {
        try (var statement = transaction.prepareStatement(LOCK + ";\n" + read)) {
            values.bind(statement, bind(statement, key, wait));
            statement.execute();
            statement.getMoreResults();
            try (var found = statement.getResultSet()) {
                return Optional.of(rows.read(found));
            }
        } catch (SQLException refused) {
            refusedInTime(refused);
            return Optional.empty();
        }
    }

    /** Binds the parameters of a command from a number on. */
    @FunctionalInterface
    public interface Values {
        void bind(PreparedStatement statement, int first) throws SQLException;
    }

    /** Makes something of a command's rows. */
    @FunctionalInterface
    public interface Rows<T> {
        T read(ResultSet rows) throws SQLException;
    }

    /** The number of the next parameter. */
    private static int bind(PreparedStatement statement, FenceKey key, Duration wait) throws SQLException {
        statement.setString(1, Long.toString(Math.max(1, wait.toMillis())));
        statement.setLong(2, key.value());
        return 3;
    }

    private static boolean refusedInTime(SQLException refused) throws SQLException {
        if (NOT_AVAILABLE.equals(refused.getSQLState())) {
            return false;
        }
        throw refused;
    }
}
