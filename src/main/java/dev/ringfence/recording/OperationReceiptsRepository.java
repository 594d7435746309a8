package dev.ringfence.recording;

import dev.ringfence.config.DataSources;
import dev.ringfence.outbox.StorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The durable receipts of operations (RC-6), in the caller's transaction. A receipt is claimed before the operation is
 * decided, so that a concurrent repetition waits for the first one's commit instead of deciding again.
 */
@ApplicationScoped
class OperationReceiptsRepository {
    private static final String CLAIM = """
            insert into operation_receipts (tenant_id, client_operation_id, epoch, body_sha256, outcome, aggregate_type,
                                            aggregate_id, recorded_at)
            values (?, ?, ?, ?, 'CONFLICTED', ?, ?, ?)
            on conflict (tenant_id, client_operation_id) do nothing""";

    private static final String COMPLETE = """
            update operation_receipts
               set outcome = ?, version = ?, event_ids = ?, reason = ?
             where tenant_id = ? and client_operation_id = ?""";

    private static final String READ = """
            select epoch, body_sha256, outcome, version, event_ids, reason
              from operation_receipts
             where tenant_id = ? and client_operation_id = ?""";

    private final DataSources dataSources;

    @Inject
    OperationReceiptsRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy. */
    OperationReceiptsRepository() {
        this(new DataSources());
    }

    /** A receipt as it is kept. */
    record Retained(UUID epoch, byte[] bodySha256, Receipt receipt) {}

    /**
     * Takes the operation id for this transaction; {@link #complete} must follow in it. Waits, within the transaction's
     * bound, for another transaction that has taken it.
     *
     * @return false where a receipt is kept already
     */
    boolean claim(AggregateKey aggregate, String operationId, UUID epoch, byte[] bodySha256, Instant at) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(CLAIM)) {
            statement.setLong(1, aggregate.tenantId());
            statement.setString(2, operationId);
            statement.setObject(3, epoch);
            statement.setBytes(4, bodySha256);
            statement.setString(5, aggregate.type());
            statement.setString(6, aggregate.id());
            statement.setObject(7, at.atOffset(ZoneOffset.UTC));
            return statement.executeUpdate() == 1;
        } catch (SQLException e) {
            throw new StorageException("cannot claim an operation id", e);
        }
    }

    /** Writes the outcome of an operation that this transaction has claimed. */
    void complete(long tenantId, String operationId, Receipt receipt) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(COMPLETE)) {
            statement.setString(1, receipt.outcome().name());
            statement.setObject(2, receipt.version(), java.sql.Types.BIGINT);
            statement.setArray(
                    3, connection.createArrayOf("text", receipt.eventIds().toArray()));
            statement.setString(4, receipt.reason());
            statement.setLong(5, tenantId);
            statement.setString(6, operationId);
            if (statement.executeUpdate() != 1) {
                throw new IllegalStateException("the operation was not claimed");
            }
        } catch (SQLException e) {
            throw new StorageException("cannot complete an operation receipt", e);
        }
    }

    /** The receipt kept under an operation id. */
    Optional<Retained> find(long tenantId, String operationId) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(READ)) {
            statement.setLong(1, tenantId);
            statement.setString(2, operationId);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(retained(row)) : Optional.empty();
            }
        } catch (SQLException e) {
            throw new StorageException("cannot read an operation receipt", e);
        }
    }

    private static Retained retained(ResultSet row) throws SQLException {
        Array ids = row.getArray(5);
        Receipt receipt = new Receipt(
                Receipt.Outcome.valueOf(row.getString(3)),
                row.getObject(4, Long.class),
                List.of((String[]) ids.getArray()),
                row.getString(6));
        return new Retained(row.getObject(1, UUID.class), row.getBytes(2), receipt);
    }
}
