package dev.ringfence.receipt;

import dev.ringfence.config.DataSources;
import dev.ringfence.delivery.DeliveryStorageException;
import dev.ringfence.ordering.OrderedKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The statement of {@link Conclusions}. */
@ApplicationScoped
public class ConclusionRepository {
    /** {@code % 1 = 0} makes the planner expect few rows, {@code any (array[…])} leaves it one way to each, its key (decision 15). */
    private static final String CONCLUDE = """
            with given as materialized (
              select * from unnest(?::bigint[], ?::integer[], ?::text[], ?::text[]) as g (id, cycle, state, code)
            ), held as materialized (
              select g.* from (select * from given where id % 1 = 0 order by id) g, lateral (
                select from deliveries_live x
                 where x.id = any (array[g.id]) and x.cycle = g.cycle and x.reservation_id is null for no key update skip locked) d
            )
            update deliveries d
               set state = h.state, last_code = h.code, next_attempt_at = null, finished_at = ?, updated_at = ?
              from held h
             where d.id = any (array[h.id]) and d.state not in ('delivered', 'failed', 'dead', 'skipped_filter')
            returning d.id, d.subscription_id, d.test, d.order_key
            """;

    private final DataSources dataSources;

    /** A delivery that ended. */
    record Ended(
            long deliveryId,
            UUID subscriptionId,
            boolean test,
            @Nullable String orderKey) {
        Stream<OrderedKey> freed() {
            return orderKey == null ? Stream.empty() : Stream.of(new OrderedKey(subscriptionId, orderKey));
        }
    }

    @Inject
    public ConclusionRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    ConclusionRepository() {
        this(null);
    }

    /** Ends them; returns those that ended. */
    List<Ended> conclude(List<Conclusion> conclusions, OffsetDateTime now) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(CONCLUDE)) {
            Long[] ids = conclusions.stream().map(Conclusion::deliveryId).toArray(Long[]::new);
            Integer[] cycles = conclusions.stream().map(Conclusion::cycle).toArray(Integer[]::new);
            String[] states = conclusions.stream().map(c -> c.state().text()).toArray(String[]::new);
            String[] codes = conclusions.stream().map(c -> c.code().name()).toArray(String[]::new);
            statement.setArray(1, connection.createArrayOf("bigint", ids));
            statement.setArray(2, connection.createArrayOf("integer", cycles));
            statement.setArray(3, connection.createArrayOf("text", states));
            statement.setArray(4, connection.createArrayOf("text", codes));
            statement.setObject(5, now);
            statement.setObject(6, now);
            List<Ended> ended = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ended.add(new Ended(
                            rows.getLong(1), rows.getObject(2, UUID.class), rows.getBoolean(3), rows.getString(4)));
                }
            }
            return ended;
        } catch (SQLException e) {
            throw new DeliveryStorageException("end deliveries", e);
        }
    }
}
