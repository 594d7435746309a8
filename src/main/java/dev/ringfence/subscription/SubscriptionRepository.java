package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.TimeCursor;
import dev.ringfence.config.DataSources;
import dev.ringfence.json.StrictJson;
import dev.ringfence.outbox.StorageException;
import dev.ringfence.transport.AckProfile;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table {@code subscriptions}, in the caller's transaction. Losing a row is an empty answer, not an exception. */
@ApplicationScoped
public class SubscriptionRepository {

    private static final String COLUMNS = """
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

    /** Whatever an operator changes may be what the receiver was waiting for. */
    private static final String CLOSE_CIRCUIT =
            "circuit = 'CLOSED', circuit_failures = 0, circuit_openings = 0, circuit_until = null, circuit_probe = null, ";

    private static final String INSERT = """
            insert into subscriptions (id, app_id, tenant_id, name, mode, url, event_types, match, signing, headers, ack,
              semantics, retry_waits, retry_jitter, retry_attempts, retry_statuses, in_flight, per_second, timeout_ms, dead_threshold, status, grants,
              created_at, updated_at, created_ordinal, tls, envelope, circuit_threshold, circuit_pause_s, circuit_max_pause_s,
              ordering, on_dead)
            values (?, ?, ?, ?, ?, ?, ?, cast(? as jsonb), cast(? as jsonb), cast(? as jsonb), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
              ?, ?, ?, cast(? as jsonb), cast(? as json), ?, ?, ?, ?, ?)
            """;

    private static final String UPDATE = """
            update subscriptions set name = ?, url = ?, event_types = ?, match = cast(? as jsonb), headers = cast(? as jsonb), ack = ?,
              semantics = ?, retry_waits = ?, retry_jitter = ?, retry_attempts = ?, retry_statuses = ?, in_flight = ?, per_second = ?, timeout_ms = ?,
              dead_threshold = ?, tls = cast(? as jsonb), envelope = cast(? as json), circuit_threshold = ?,
              circuit_pause_s = ?, circuit_max_pause_s = ?, ordering = ?, on_dead = ?, %s version = version + 1, updated_at = ?
            where id = ? returning
            """.formatted(CLOSE_CIRCUIT) + COLUMNS;

    private static final String UPDATE_STATUS = """
            update subscriptions set status = ?, disabled_reason = ?, closings = ?,
              consecutive_dead = case when ? = 'ACTIVE' then 0 else consecutive_dead end, %s version = version + 1, updated_at = ?
            where id = ? returning
            """.formatted(CLOSE_CIRCUIT) + COLUMNS;

    /** Where a family is taken away, what waits is to be looked at (SB-5). */
    private static final String UPDATE_GRANTS = """
            update subscriptions set grants = ?,
              narrowed_at = case when grants <@ ?::text[] then narrowed_at else ? end,
              narrowed_look_at = case when grants <@ ?::text[] then narrowed_look_at else ? end,
              %s version = version + 1, updated_at = ?
            where id = ? returning
            """.formatted(CLOSE_CIRCUIT) + COLUMNS;

    private static final String SELECT = "select " + COLUMNS + " from subscriptions ";

    private final DataSources sources;

    @Inject
    public SubscriptionRepository(DataSources sources) {
        this.sources = sources;
    }

    /** For the container's proxy. */
    protected SubscriptionRepository() {
        this(new DataSources());
    }

    void insert(Subscription added) {
        Destination destination = added.destination();
        DeliveryRules rules = added.rules();
        OffsetDateTime created = added.createdAt().atOffset(ZoneOffset.UTC);
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(INSERT)) {
            bind(
                    statement,
                    added.id(),
                    added.appId(),
                    added.tenantId(),
                    added.name(),
                    destination.mode().name(),
                    destination.url(),
                    texts(connection, added.filter().types().patterns()),
                    json(added.filter().match()),
                    json(added.signing()),
                    json(destination.headers()),
                    destination.ack().name(),
                    rules.semantics().name(),
                    connection.createArrayOf(
                            "integer", rules.retry().waitsSeconds().toArray()),
                    rules.retry().jitter(),
                    rules.retry().attempts(),
                    statuses(connection, rules),
                    rules.inFlight(),
                    rules.perSecond(),
                    Math.toIntExact(destination.timeout().toMillis()),
                    rules.deadThreshold(),
                    added.status().name(),
                    texts(connection, added.grants().families()),
                    created,
                    created,
                    added.intake().after(),
                    tls(destination.access()),
                    template(destination),
                    rules.circuit().failures(),
                    rules.circuit().pauseSeconds(),
                    rules.circuit().maxPauseSeconds(),
                    rules.order().ordering().name(),
                    rules.order().onDead().name());
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new StorageException("cannot insert a subscription", e);
        }
    }

    /** The subscription, if it is this application's. */
    public Optional<Subscription> find(UUID appId, UUID id) {
        return read("where app_id = ? and id = ?", appId, id).stream().findFirst();
    }

    /** As {@link #find}, locked until the transaction ends. */
    Optional<Subscription> lock(UUID appId, UUID id) {
        return read("where app_id = ? and id = ? for update", appId, id).stream()
                .findFirst();
    }

    /** The subscriptions of a tenant in the order of their creation, after the given place. */
    List<Subscription> page(long tenantId, @Nullable TimeCursor after, int limit) {
        return read(
                "where tenant_id = ? and (created_at, id) > (?, ?) order by created_at, id limit ?",
                tenantId,
                (after == null ? Instant.EPOCH : after.at()).atOffset(ZoneOffset.UTC),
                after == null ? new UUID(0, 0) : after.uuid(),
                limit);
    }

    /** Writes what an operator may change of the subscription; empty where it is gone. */
    Optional<Subscription> update(Subscription changed, Instant now) {
        Destination destination = changed.destination();
        DeliveryRules rules = changed.rules();
        try (Connection connection = sources.jta().getConnection()) {
            return read(
                            connection,
                            UPDATE,
                            changed.name(),
                            destination.url(),
                            texts(connection, changed.filter().types().patterns()),
                            json(changed.filter().match()),
                            json(destination.headers()),
                            destination.ack().name(),
                            rules.semantics().name(),
                            connection.createArrayOf(
                                    "integer", rules.retry().waitsSeconds().toArray()),
                            rules.retry().jitter(),
                            rules.retry().attempts(),
                            statuses(connection, rules),
                            rules.inFlight(),
                            rules.perSecond(),
                            Math.toIntExact(destination.timeout().toMillis()),
                            rules.deadThreshold(),
                            tls(destination.access()),
                            template(destination),
                            rules.circuit().failures(),
                            rules.circuit().pauseSeconds(),
                            rules.circuit().maxPauseSeconds(),
                            rules.order().ordering().name(),
                            rules.order().onDead().name(),
                            now.atOffset(ZoneOffset.UTC),
                            changed.id())
                    .stream()
                    .findFirst();
        } catch (SQLException e) {
            throw new StorageException("cannot change a subscription", e);
        }
    }

    /** Gives the subscription another status; an active one begins to count its dead deliveries anew. */
    Optional<Subscription> updateStatus(
            UUID id, SubscriptionStatus status, @Nullable String disabledReason, Intake intake, Instant now) {
        try (Connection connection = sources.jta().getConnection()) {
            return read(
                            connection,
                            UPDATE_STATUS,
                            status.name(),
                            disabledReason,
                            connection.createArrayOf("bigint", intake.closings().toArray()),
                            status.name(),
                            now.atOffset(ZoneOffset.UTC),
                            id)
                    .stream()
                    .findFirst();
        } catch (SQLException e) {
            throw new StorageException("cannot change the status of a subscription", e);
        }
    }

    /** Lets workers read the subscription anew, because something that belongs to it has changed. */
    void touch(UUID id, Instant now) {
        execute(
                "update subscriptions set version = version + 1, updated_at = ? where id = ?",
                now.atOffset(ZoneOffset.UTC),
                id);
    }

    /** Deletes the subscription with its secrets; false where it is gone already. */
    boolean delete(UUID id) {
        return execute("delete from subscriptions where id = ?", id) == 1;
    }

    private int execute(String sql, Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new StorageException("cannot change a subscription", e);
        }
    }

    /** The subscription with its new grants; empty where it is gone. */
    Optional<Subscription> updateGrants(UUID id, Grants grants, Instant now) {
        try (Connection connection = sources.jta().getConnection()) {
            java.sql.Array families = texts(connection, grants.families());
            OffsetDateTime at = now.atOffset(ZoneOffset.UTC);
            return read(connection, UPDATE_GRANTS, families, families, at, families, at, at, id).stream()
                    .findFirst();
        } catch (SQLException e) {
            throw new StorageException("cannot change grants", e);
        }
    }

    /**
     * The subscriptions of the tenants that may still take an event of one of these types, in one round trip, each tenant's in the order of their
     * creation: one that is paused or disabled takes what was recorded before. Those that keep an order come whatever types they take.
     */
    public Map<Long, List<Subscription>> takingOf(Collection<Long> tenantIds, Collection<String> eventNames) {
        Map<Long, List<Subscription>> byTenant = new HashMap<>();
        if (tenantIds.isEmpty()) {
            return byTenant;
        }
        List<String> patterns = eventNames.stream()
                .flatMap(name -> TypePattern.matching(name).stream())
                .distinct()
                .toList();
        String taking = """
                where tenant_id = any(?) and (status = 'ACTIVE' or closings <> '{}')
                  and (event_types = '{}' or event_types && ? or ordering <> 'NONE') order by created_at, id""";
        for (Subscription one : readAll(taking, new Values("bigint", tenantIds), new Values("text", patterns))) {
            byTenant.computeIfAbsent(one.tenantId(), tenant -> new ArrayList<>())
                    .add(one);
        }
        return byTenant;
    }

    /** The subscriptions with these ids, in whatever status; an id without an entry is gone. */
    public Map<UUID, Subscription> byIds(Collection<UUID> ids) {
        Map<UUID, Subscription> byId = new HashMap<>();
        if (!ids.isEmpty()) {
            readAll("where id = any(?)", new Values("uuid", ids)).forEach(one -> byId.put(one.id(), one));
        }
        return byId;
    }

    /** The values of an array parameter. */
    private record Values(String type, Collection<?> all) {}

    private List<Subscription> readAll(String condition, Values... parameters) {
        try (Connection connection = sources.jta().getConnection()) {
            Object[] arrays = new Object[parameters.length];
            for (int i = 0; i < arrays.length; i++) {
                arrays[i] = connection.createArrayOf(
                        parameters[i].type(), parameters[i].all().toArray());
            }
            return read(connection, SELECT + condition, arrays);
        } catch (SQLException e) {
            throw new StorageException("cannot read subscriptions", e);
        }
    }

    private List<Subscription> read(String condition, Object... values) {
        try (Connection connection = sources.jta().getConnection()) {
            return read(connection, SELECT + condition, values);
        } catch (SQLException e) {
            throw new StorageException("cannot read subscriptions", e);
        }
    }

    private static List<Subscription> read(Connection connection, String sql, @Nullable Object... values)
            throws SQLException {
        List<Subscription> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(subscription(rows));
                }
            }
        }
        return found;
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

    private static @Nullable String template(Destination destination) {
        return destination.template() == null
                ? null
                : json(destination.template().given());
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

    private static @Nullable String tls(AccessTerms access) {
        Map<String, String> ends = new LinkedHashMap<>();
        if (access.caExpires() != null) {
            ends.put("caExpires", access.caExpires().toString());
        }
        if (access.certExpires() != null) {
            ends.put("certExpires", access.certExpires().toString());
        }
        return ends.isEmpty() ? null : json(ends);
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

    private static Array texts(Connection connection, List<String> texts) throws SQLException {
        return connection.createArrayOf("text", texts.toArray());
    }

    private static Array statuses(Connection connection, DeliveryRules rules) throws SQLException {
        return connection.createArrayOf("integer", rules.retryStatuses().toArray());
    }

    private static @Nullable JsonNode json(ResultSet row, String column) throws SQLException {
        String text = row.getString(column);
        return text == null ? null : StrictJson.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable String json(MatchFilter match) {
        return match.acceptsAll() ? null : json(match.matches());
    }

    private static String json(Object value) {
        return new String(StrictJson.write(value), StandardCharsets.UTF_8);
    }

    private static void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }
}
