package dev.ringfence.redaction;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.apps.App;
import dev.ringfence.apps.AppRepository;
import dev.ringfence.audit.Audit;
import dev.ringfence.idempotency.Idempotency;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.Outcome;
import dev.ringfence.json.FieldError;
import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.security.Caller;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;

/** Requests and reconciles redactions: each deed, its audit entry and its kept answer in one transaction. */
@ApplicationScoped
public class Redactions {
    private static final int TRIES = 3;

    @Inject
    RedactionRepository redactions;

    @Inject
    MarkerRepository markers;

    @Inject
    AppRepository apps;

    @Inject
    Idempotency idempotency;

    @Inject
    Audit audit;

    @Inject
    Event<RedactionRequested> requested;

    /**
     * Begins a redaction, or answers the one that is not done yet; one that has failed is taken up again. A request after one that is
     * done begins another, which moves the boundary forward again (RD-3).
     */
    @Transactional
    IdempotentAnswer request(TenantRef tenant, RedactionOrder order) {
        return idempotency.execute(
                order.idempotencyKey(),
                keptPath(tenant),
                order.caller(),
                order.body(),
                null,
                () -> Outcome.of(202, RedactionView.of(begin(tenant, order))));
    }

    /**
     * Notes what was found at the remote end of attempts: {@code ABSENT} and {@code ERASED} resolve a marker for good.
     *
     * @throws ApiProblem 404 where the application has no such redaction; 422 naming each marker that is not one of it, or that was
     *     resolved with another finding
     */
    @Transactional
    IdempotentAnswer reconcile(UUID appId, UUID id, ReconcileOrder order) {
        found(appId, id);
        return idempotency.execute(
                order.idempotencyKey(),
                order.path(),
                order.caller(),
                order.body(),
                null,
                () -> Outcome.of(200, reconciled(appId, id, order)));
    }

    /** @throws ApiProblem 404 where the application has no such redaction */
    @Transactional
    Redaction of(UUID appId, UUID id) {
        return found(appId, id);
    }

    private Redaction found(UUID appId, UUID id) {
        return redactions
                .find(id)
                .filter(redaction -> redaction.appId().equals(appId))
                .orElseThrow(ApiProblem::notFound);
    }

    /** The path of a request names the tenant, and its kept answer outlives the erasure. */
    private static String keptPath(TenantRef tenant) {
        return "redaction of " + HexFormat.of().formatHex(tenant.hash());
    }

    private Redaction begin(TenantRef tenant, RedactionOrder order) {
        App app = apps.find(tenant.appId()).orElseThrow(ApiProblem::notFound);
        Boolean asked = order.remoteErasure();
        boolean remote = asked == null ? app.remoteErasureUrl() != null : asked;
        byte[] hash = tenant.hash();
        for (int i = 0; i < TRIES; i++) {
            Optional<UUID> unfinished = redactions.unfinished(tenant.appId(), hash);
            if (unfinished.isPresent()) {
                boolean resumed = redactions.resume(unfinished.get(), asked == null || asked);
                return told(tenant, unfinished.get(), resumed ? "redaction.resume" : "redaction.repeat", order);
            }
            UUID id = UUID.randomUUID();
            if (redactions.add(id, tenant.appId(), hash, tenant.tenant(), remote)) {
                return told(tenant, id, "redaction.request", order);
            }
        }
        throw ApiProblem.unavailable("UNAVAILABLE", "Another redaction of the tenant ends at this moment.");
    }

    private Redaction told(TenantRef tenant, UUID id, String deed, RedactionOrder order) {
        Long tenantId = redactions.tenantId(tenant.appId(), tenant.hash()).orElse(null);
        Redaction now = redactions.find(id).orElseThrow(ApiProblem::notFound);
        audit.record(
                order.caller().actor(),
                deed,
                tenant.appId(),
                tenantId,
                id.toString(),
                order.reason(),
                StrictJson.tree(Map.of("remoteErasure", now.remoteErasure())));
        requested.fire(new RedactionRequested(id));
        return now;
    }

    private RedactionView reconciled(UUID appId, UUID id, ReconcileOrder order) {
        Map<UUID, Marker> locked = locked(id, order.markers());
        List<FieldError> errors = new ArrayList<>();
        List<UUID> open = new ArrayList<>();
        for (int i = 0; i < order.markers().size(); i++) {
            UUID reservation = order.markers().get(i);
            Marker marker = locked.get(reservation);
            if (marker == null) {
                errors.add(new FieldError("/markers/" + i, "UNKNOWN_MARKER", "This redaction has no such marker."));
            } else if (!marker.resolved()) {
                open.add(reservation);
            } else if (marker.finding() != order.finding()) {
                errors.add(new FieldError(
                        "/markers/" + i, "ALREADY_RESOLVED", "This marker was resolved with another finding."));
            }
        }
        if (!errors.isEmpty()) {
            throw ApiProblem.invalid(errors);
        }
        open.forEach(reservation ->
                markers.reconcile(reservation, order.finding(), order.caller().actor()));
        Redaction now = found(appId, id);
        note(now, open, order);
        return RedactionView.of(now);
    }

    /** In one order for everybody, so that two who reconcile the same markers do not deadlock. */
    private Map<UUID, Marker> locked(UUID id, List<UUID> reservations) {
        Map<UUID, Marker> locked = new HashMap<>();
        for (UUID reservation : new TreeSet<>(reservations)) {
            markers.lock(id, reservation).ifPresent(marker -> locked.put(reservation, marker));
        }
        return locked;
    }

    private void note(Redaction redaction, List<UUID> reservations, ReconcileOrder order) {
        Caller caller = order.caller();
        audit.record(
                caller.actor(),
                "redaction.reconcile",
                redaction.appId(),
                redaction.tenantId(),
                redaction.id().toString(),
                order.reason(),
                StrictJson.tree(Map.of("finding", order.finding(), "markers", reservations)));
    }
}
