package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.audit.Audit;
import dev.ringfence.idempotency.Idempotency;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.Outcome;
import dev.ringfence.idempotency.TenantScope;
import dev.ringfence.json.BadJson;
import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.ActiveTenants;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.outbox.OrdinalsRepository;
import dev.ringfence.security.Caller;
import dev.ringfence.security.SecretUnreadable;
import dev.ringfence.signing.WebhookSecret;
import dev.ringfence.transport.TlsMaterial;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * What operators change of a subscription that exists: each change, its audit entry and its kept answer in one transaction under the
 * tenant's fence, which holds the subscription's row. Nothing here touches deliveries; what becomes of those that wait, the subscription's
 * row says when they are due (SB-3, SB-5), or before where consent was taken away.
 *
 * <p>All of it is answered 404 where the application has no such subscription, 409 {@code TENANT_REDACTED}, 503 {@code FENCE_TIMEOUT}.
 */
@ApplicationScoped
public class SubscriptionChanges {

    @Inject
    ActiveTenants tenants;

    @Inject
    SubscriptionRepository subscriptions;

    @Inject
    SubscriptionChangeRepository rows;

    @Inject
    SubscriptionRequests requests;

    @Inject
    SubscriptionSecrets secrets;

    @Inject
    OrdinalsRepository ordinals;

    @Inject
    Idempotency idempotency;

    @Inject
    Audit audit;

    @Inject
    Clock clock;

    /** A subscription whose row and whose tenant's fence the transaction holds. */
    private record Held(Subscription subscription, TenantLifecycle tenant) {}

    /**
     * Applies a merge patch. Deliveries that wait keep URL and headers, and obey the new rules and secrets from their next attempt on; where
     * the URL moved to another origin, they go without credentials.
     *
     * @throws ApiProblem 422 {@code INVALID} with everything that is wrong; 409 {@code SECRET_UNREADABLE} where a part of the certificates is
     *     to stay that cannot be read
     */
    @Transactional
    public Subscription change(UUID appId, UUID id, SubscriptionPatch patch, Caller caller) {
        Held held = hold(appId, id);
        SubscriptionDraft draft = requests.patched(held.subscription(), patch, tls(id, patch));
        Instant now = clock.instant();
        secrets.replace(id, patch.kinds(), draft.access(), now);
        Subscription changed =
                rows.update(held.subscription().changedTo(draft), now).orElseThrow(ApiProblem::notFound);
        note(held, "subscription.change", caller, null, StrictJson.tree(Map.of("fields", patch.fields())));
        return changed;
    }

    /** What can be opened and yet not read is as good as unreadable, as where it is sent with. */
    TlsMaterial tls(UUID id, SubscriptionPatch patch) {
        if (!patch.keepsPartsOfTls()) {
            return TlsMaterial.NONE;
        }
        try {
            return secrets.tls(id);
        } catch (SecretUnreadable | BadJson | IllegalArgumentException | IndexOutOfBoundsException unreadable) {
            throw ApiProblem.conflict(
                    "SECRET_UNREADABLE",
                    "The stored certificates cannot be read. Give ca, cert and key, and null for what is to go.");
        }
    }

    /** Replaces the grants; an empty list revokes all (SB-5). */
    @Transactional
    public Subscription grant(UUID appId, UUID id, Grants grants, Caller caller) {
        Held held = hold(appId, id);
        Subscription after = rows.updateGrants(id, grants, clock.instant()).orElseThrow(ApiProblem::notFound);
        JsonNode detail = StrictJson.tree(Map.of(
                "from",
                held.subscription().grants().families(),
                "to",
                after.grants().families()));
        note(held, "subscription.grants", caller, null, detail);
        return after;
    }

    /** Deletes the subscription with its secrets; what waits for it fails as {@code SUBSCRIPTION_GONE} at once (SB-5). */
    @Transactional
    public void delete(UUID appId, UUID id, Caller caller) {
        Held held = hold(appId, id);
        rows.delete(id);
        note(held, "subscription.delete", caller, null, null);
    }

    /**
     * Pauses: events from now on create no delivery; deliveries that wait stay, and may expire (SB-3).
     *
     * @throws ApiProblem 409 {@code SUBSCRIPTION_DISABLED}
     */
    @Transactional
    public IdempotentAnswer pause(UUID appId, UUID id, @Nullable String reason, Post post) {
        return once(
                appId,
                id,
                post,
                (held, now) -> Outcome.of(200, SubscriptionAnswer.of(paused(held, reason, post, now))));
    }

    /**
     * Makes a paused or disabled subscription active again; what was recorded meanwhile does not come back (SB-3). Of an active one it closes
     * the circuit (SB-7).
     */
    @Transactional
    public IdempotentAnswer resume(UUID appId, UUID id, @Nullable String reason, Post post) {
        return once(
                appId,
                id,
                post,
                (held, now) -> Outcome.of(200, SubscriptionAnswer.of(resumed(held, reason, post, now))));
    }

    /**
     * Gives every signing entry a new secret; for the time of grace requests carry the signatures of those before too (SB-7).
     *
     * @throws ApiProblem 409 {@code TOO_MANY_SECRETS}, {@code NOT_SIGNED}
     */
    @Transactional
    public IdempotentAnswer rotateSecret(UUID appId, UUID id, Duration grace, Post post) {
        return once(appId, id, post, (held, now) -> rotated(held, grace, post, now));
    }

    private Subscription paused(Held held, @Nullable String reason, Post post, Instant now) {
        Subscription before = held.subscription();
        if (before.status() == SubscriptionStatus.DISABLED) {
            throw ApiProblem.conflict("SUBSCRIPTION_DISABLED", "The subscription is disabled; resume makes it active.");
        }
        if (before.status() == SubscriptionStatus.PAUSED) {
            return before;
        }
        note(held, "subscription.pause", post.caller(), reason, null);
        Intake intake = before.intake().closedAt(ordinals.next(1)[0]);
        return rows.updateStatus(before.id(), SubscriptionStatus.PAUSED, null, intake, now)
                .orElseThrow(ApiProblem::notFound);
    }

    private Subscription resumed(Held held, @Nullable String reason, Post post, Instant now) {
        Subscription before = held.subscription();
        boolean active = before.status() == SubscriptionStatus.ACTIVE;
        if (active && before.circuit().closed()) {
            return before;
        }
        note(held, "subscription.resume", post.caller(), reason, StrictJson.tree(Map.of("from", before.status())));
        Intake intake = active ? before.intake() : before.intake().openedAt(ordinals.next(1)[0]);
        return rows.updateStatus(before.id(), SubscriptionStatus.ACTIVE, null, intake, now)
                .orElseThrow(ApiProblem::notFound);
    }

    private Outcome rotated(Held held, Duration grace, Post post, Instant now) {
        Subscription subscription = held.subscription();
        if (subscription.destination().mode() == Mode.PULL) {
            throw ApiProblem.conflict(
                    "NOT_SIGNED", "A PULL subscription is fetched with an API key; it has no secret.");
        }
        Instant graceEnd = now.plus(grace);
        List<WebhookSecret> made = new ArrayList<>();
        List<SubscriptionAnswer.Signing> shown = new ArrayList<>();
        List<SubscriptionAnswer.Signing> kept = new ArrayList<>();
        for (SigningEntry entry : subscription.signing()) {
            WebhookSecret secret = WebhookSecret.generate();
            made.add(secret);
            shown.add(new SubscriptionAnswer.Signing(entry.scheme(), entry.prefix(), secret.reveal()));
            kept.add(new SubscriptionAnswer.Signing(entry.scheme(), entry.prefix(), null));
        }
        secrets.rotate(subscription, made, graceEnd, now);
        rows.touch(subscription.id(), now);
        JsonNode detail = StrictJson.tree(Map.of("graceSeconds", grace.toSeconds()));
        note(held, "subscription.rotate-secret", post.caller(), null, detail);
        String first = shown.isEmpty() ? null : shown.get(0).secret();
        return new Outcome(
                200,
                StrictJson.write(new Rotation(first, shown, graceEnd)),
                StrictJson.write(new Rotation(null, kept, graceEnd)));
    }

    private IdempotentAnswer once(UUID appId, UUID id, Post post, BiFunction<Held, Instant, Outcome> deed) {
        Held held = hold(appId, id);
        TenantScope scope =
                new TenantScope(held.tenant().tenantId(), held.tenant().epoch());
        return idempotency.execute(
                post.key(), post.path(), post.caller(), post.body(), scope, () -> deed.apply(held, clock.instant()));
    }

    /** The fence before the row, as everybody takes them. */
    private Held hold(UUID appId, UUID id) {
        Subscription found = subscriptions.find(appId, id).orElseThrow(ApiProblem::notFound);
        TenantLifecycle tenant = tenants.underFence(found.tenantId());
        return new Held(rows.lock(appId, id).orElseThrow(ApiProblem::notFound), tenant);
    }

    private void note(Held held, String deed, Caller caller, @Nullable String reason, @Nullable JsonNode detail) {
        Subscription subscription = held.subscription();
        audit.record(
                caller.actor(),
                deed,
                subscription.appId(),
                subscription.tenantId(),
                subscription.id().toString(),
                reason,
                detail);
    }
}
