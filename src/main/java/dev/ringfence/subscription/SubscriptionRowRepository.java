package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.config.DataSources;
import dev.ringfence.json.StrictJson;
import dev.ringfence.outbox.StorageException;
import dev.ringfence.transport.AckProfile;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Statements on the table {@code subscriptions} in the caller's transaction, and the subscription that a row is. */
abstract class SubscriptionRowRepository {

    /** What {@link #list} reads: for the end of a {@code select} or of a {@code returning}. */
    static final String COLUMNS = """
            id, app_id, tenant_id, name, mode, url, event_types, match, signing, headers, ack, semantics, retry_waits,
            retry_jitter, retry_attempts, retry_statuses, in_flight, per_second, timeout_ms, dead_threshold, status, disabled_reason,
            consecutive_dead, grants, created_at, created_ordinal, closings, tls, envelope,
            circuit, circuit_failures, circuit_until, circuit_threshold, circuit_pause_s, circuit_max_pause_s,
            ordering, on_dead,
            exists (select from subscription_secrets s where s.subscription_id = subscriptions.id
              and s.entry = %d) as bearer,
            exists (select from subscription_secrets s where s.subscription_id = subscriptions.id
              and s.entry = %d) as oauth
            """.formatted(SealedAccess.BEARER, SealedAccess.OAUTH);

    private final DataSources sources;

    SubscriptionRowRepository(DataSources sources) {
        this.sources = sources;
    }

    /** The values of an array parameter. */
    record Values(String type, Collection<?> all) {}

    /** The subscriptions that the condition and the order after it select. */
    List<Subscription> select(String condition, Object... values) {
        return list("cannot read subscriptions", "select " + COLUMNS + " from subscriptions " + condition, values);
    }

    /** The subscriptions that the statement answers with; each of its rows has the {@link #COLUMNS}. */
    List<Subscription> list(String failure, String sql, @Nullable Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(connection, statement, values);
            List<Subscription> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(subscription(rows));
                }
            }
            return found;
        } catch (SQLException e) {
            throw new StorageException(failure, e);
        }
    }

    /** How many rows the statement wrote. */
    int write(String failure, String sql, @Nullable Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(connection, statement, values);
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new StorageException(failure, e);
        }
    }

    private static void bind(Connection connection, PreparedStatement statement, @Nullable Object... values)
            throws SQLException {
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            statement.setObject(
                    i + 1,
                    value instanceof Values array
                            ? connection.createArrayOf(array.type(), array.all().toArray())
                            : value);
        }
    }

    private static Subscription subscription(ResultSet row) throws SQLException {
        return new Subscription(
                row.getObject("id", UUID.class),
                row.getObject("app_id", UUID.class),
                row.getLong("tenant_id"),
                row.getString("name"),
                destination(row),
                new EventFilter(new EventTypeFilter(texts(row, "event_types")), MatchFilter.of(json(row, "match"))),
                signing(json(row, "signing")),
                rules(row),
                new Grants(texts(row, "grants")),
                SubscriptionStatus.valueOf(row.getString("status")),
                row.getString("disabled_reason"),
                row.getInt("consecutive_dead"),
                circuit(row),
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                new Intake(row.getLong("created_ordinal"), List.of((Long[])
                        row.getArray("closings").getArray())));
    }

    private static CircuitState circuit(ResultSet row) throws SQLException {
        OffsetDateTime until = row.getObject("circuit_until", OffsetDateTime.class);
        return new CircuitState(
                CircuitState.Position.valueOf(row.getString("circuit")),
                row.getInt("circuit_failures"),
                until == null ? null : until.toInstant());
    }

    private static Destination destination(ResultSet row) throws SQLException {
        Map<String, String> headers = new LinkedHashMap<>();
        JsonNode stored = json(row, "headers");
        if (stored != null) {
            stored.properties()
                    .forEach(h -> headers.put(h.getKey(), h.getValue().asText()));
        }
        return new Destination(
                Mode.valueOf(row.getString("mode")),
                row.getString("url"),
                headers,
                AckProfile.valueOf(row.getString("ack")),
                Duration.ofMillis(row.getInt("timeout_ms")),
                template(row),
                access(row));
    }

    private static @Nullable EnvelopeTemplate template(ResultSet row) throws SQLException {
        JsonNode given = json(row, "envelope");
        return given == null ? null : TemplateReader.stored(given);
    }

    private static AccessTerms access(ResultSet row) throws SQLException {
        JsonNode tls = json(row, "tls");
        return new AccessTerms(
                row.getBoolean("bearer"), row.getBoolean("oauth"), end(tls, "caExpires"), end(tls, "certExpires"));
    }

    private static @Nullable Instant end(@Nullable JsonNode tls, String name) {
        return tls == null || !tls.has(name)
                ? null
                : Instant.parse(tls.path(name).asText());
    }

    private static DeliveryRules rules(ResultSet row) throws SQLException {
        List<Integer> waits = List.of((Integer[]) row.getArray("retry_waits").getArray());
        return new DeliveryRules(
                Semantics.valueOf(row.getString("semantics")),
                new RetryPolicy(waits, row.getDouble("retry_jitter"), row.getInt("retry_attempts")),
                List.of((Integer[]) row.getArray("retry_statuses").getArray()),
                row.getInt("in_flight"),
                row.getObject("per_second", Double.class),
                new CircuitRules(
                        row.getInt("circuit_threshold"),
                        row.getInt("circuit_pause_s"),
                        row.getInt("circuit_max_pause_s")),
                new OrderRules(Ordering.valueOf(row.getString("ordering")), OnDead.valueOf(row.getString("on_dead"))),
                row.getInt("dead_threshold"));
    }

    private static List<SigningEntry> signing(@Nullable JsonNode entries) {
        return entries == null
                ? List.of()
                : entries.valueStream()
                        .map(e -> new SigningEntry(
                                e.path("scheme").asText(), e.path("prefix").asText()))
                        .toList();
    }

    private static List<String> texts(ResultSet row, String column) throws SQLException {
        return List.of((String[]) row.getArray(column).getArray());
    }

    private static @Nullable JsonNode json(ResultSet row, String column) throws SQLException {
        String text = row.getString(column);
        return text == null ? null : StrictJson.parse(text.getBytes(StandardCharsets.UTF_8));
    }
}
