package dev.ringfence.subscription;

import dev.ringfence.config.DataSources;
import dev.ringfence.json.StrictJson;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What operators write of subscriptions. Losing a row is an empty answer, not an exception. */
@ApplicationScoped
public class SubscriptionChangeRepository extends SubscriptionRowRepository {

    private static final String FAILURE = "cannot change a subscription";

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

    @Inject
    public SubscriptionChangeRepository(DataSources sources) {
        super(sources);
    }

    /** For the container's proxy. */
    protected SubscriptionChangeRepository() {
        this(new DataSources());
    }

    void insert(Subscription added) {
        Destination destination = added.destination();
        DeliveryRules rules = added.rules();
        OffsetDateTime created = added.createdAt().atOffset(ZoneOffset.UTC);
        write(
                "cannot insert a subscription",
                INSERT,
                added.id(),
                added.appId(),
                added.tenantId(),
                added.name(),
                destination.mode().name(),
                destination.url(),
                texts(added.filter().types().patterns()),
                json(added.filter().match()),
                json(added.signing()),
                json(destination.headers()),
                destination.ack().name(),
                rules.semantics().name(),
                integers(rules.retry().waitsSeconds()),
                rules.retry().jitter(),
                rules.retry().attempts(),
                integers(rules.retryStatuses()),
                rules.inFlight(),
                rules.perSecond(),
                Math.toIntExact(destination.timeout().toMillis()),
                rules.deadThreshold(),
                added.status().name(),
                texts(added.grants().families()),
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
    }

    /** The subscription, if it is this application's, locked until the transaction ends. */
    Optional<Subscription> lock(UUID appId, UUID id) {
        return select("where app_id = ? and id = ? for update", appId, id).stream()
                .findFirst();
    }

    /** Writes what an operator may change of the subscription; empty where it is gone. */
    Optional<Subscription> update(Subscription changed, Instant now) {
        Destination destination = changed.destination();
        DeliveryRules rules = changed.rules();
        return changed(
                FAILURE,
                UPDATE,
                changed.name(),
                destination.url(),
                texts(changed.filter().types().patterns()),
                json(changed.filter().match()),
                json(destination.headers()),
                destination.ack().name(),
                rules.semantics().name(),
                integers(rules.retry().waitsSeconds()),
                rules.retry().jitter(),
                rules.retry().attempts(),
                integers(rules.retryStatuses()),
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
                changed.id());
    }

    /** Gives the subscription another status; an active one begins to count its dead deliveries anew. */
    Optional<Subscription> updateStatus(
            UUID id, SubscriptionStatus status, @Nullable String disabledReason, Intake intake, Instant now) {
        return changed(
                "cannot change the status of a subscription",
                UPDATE_STATUS,
                status.name(),
                disabledReason,
                new Values("bigint", intake.closings()),
                status.name(),
                now.atOffset(ZoneOffset.UTC),
                id);
    }

    /** The subscription with its new grants; empty where it is gone. */
    Optional<Subscription> updateGrants(UUID id, Grants grants, Instant now) {
        Values families = texts(grants.families());
        OffsetDateTime at = now.atOffset(ZoneOffset.UTC);
        return changed("cannot change grants", UPDATE_GRANTS, families, families, at, families, at, at, id);
    }

    /** Lets workers read the subscription anew, because something that belongs to it has changed. */
    void touch(UUID id, Instant now) {
        write(
                FAILURE,
                "update subscriptions set version = version + 1, updated_at = ? where id = ?",
                now.atOffset(ZoneOffset.UTC),
                id);
    }

    /** Deletes the subscription with its secrets; false where it is gone already. */
    boolean delete(UUID id) {
        return write(FAILURE, "delete from subscriptions where id = ?", id) == 1;
    }

    private Optional<Subscription> changed(String failure, String sql, @Nullable Object... values) {
        return list(failure, sql, values).stream().findFirst();
    }

    private static Values texts(List<String> texts) {
        return new Values("text", texts);
    }

    private static Values integers(List<Integer> integers) {
        return new Values("integer", integers);
    }

    private static @Nullable String template(Destination destination) {
        return destination.template() == null
                ? null
                : json(destination.template().given());
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

    private static @Nullable String json(MatchFilter match) {
        return match.acceptsAll() ? null : json(match.matches());
    }

    private static String json(Object value) {
        return new String(StrictJson.write(value), StandardCharsets.UTF_8);
    }
}
