package dev.ringfence.erasure;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The database's own erasure, in the caller's transaction. The application has no right to delete these rows by itself: the function
 * does it, for a closed list of kinds and only for a tenant that a redaction under way has fenced.
 */
@ApplicationScoped
public class ErasureRepository {
    private static final String ERASE = "select erase_tenant(?, ?, ?)";
    private static final String TABLES_LEFT = "select * from tenant_tables_left(?)";

    private final DataSources sources;

    @Inject
    public ErasureRepository(DataSources sources) {
        this.sources = sources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    ErasureRepository() {
        this(null);
    }

    int erase(long tenantId, String kind, int most) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(ERASE)) {
            statement.setLong(1, tenantId);
            statement.setString(2, kind);
            statement.setInt(3, most);
            return (int) number(statement);
        } catch (SQLException e) {
            throw new ErasureFailed("erase " + kind, e);
        }
    }

    /** @param sql a statement of an eraser, never from outside */
    long left(long tenantId, String table, String sql) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, tenantId);
            return number(statement);
        } catch (SQLException e) {
            throw new ErasureFailed("count " + table, e);
        }
    }

    /**
     * The tables that still have rows of the tenant, found through the database's catalog: also those that no eraser knows. What is
     * kept on purpose is left out.
     */
    public List<String> tablesLeft(long tenantId) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(TABLES_LEFT)) {
            statement.setLong(1, tenantId);
            List<String> tables = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    tables.add(rows.getString(1));
                }
            }
            return tables;
        } catch (SQLException e) {
            throw new ErasureFailed("search for what is left", e);
        }
    }

    private static long number(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
