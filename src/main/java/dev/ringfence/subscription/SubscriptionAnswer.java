package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.transport.AckProfile;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A subscription as clients see it (SB-1). Secrets are members only of the answer that shows them once. */
record SubscriptionAnswer(
        UUID id,
        String name,
        Mode mode,
        @Nullable String url,
        List<String> eventTypes,
        @Nullable JsonNode match,
        List<Signing> signing,
        @Nullable Map<String, String> headers,
        @Nullable JsonNode envelope,
        @Nullable Auth auth,
        @Nullable Tls tls,
        AckProfile ack,
        Semantics semantics,
        Ordering ordering,
        OnDead onDead,
        RetryPolicy retry,
        @Nullable List<Integer> retryStatuses,
        Limits limits,
        CircuitRules circuit,
        CircuitState circuitState,
        long timeoutMs,
        int deadThreshold,
        SubscriptionStatus status,
        @Nullable String disabledReason,
        int consecutiveDead,
        List<String> grants,
        Instant createdAt,
        @Nullable String secret) {

    /** A signing entry; with the secret that was made for it, where this is the answer to creation. */
    record Signing(String scheme, String prefix, @Nullable String secret) {}

    /** That requests carry a token of this type; the token itself is never shown. */
    record Auth(String type) {}

    /** When the certificates expire that requests trust or show; what they are is never shown. */
    record Tls(@Nullable Instant caExpires, @Nullable Instant certExpires) {}

    record Limits(int inFlight, @Nullable Double perSecond) {}

    static SubscriptionAnswer of(Subscription subscription) {
        return showing(
                subscription,
                subscription.signing().stream()
                        .map(entry -> new Signing(entry.scheme(), entry.prefix(), null))
                        .toList());
    }

    /** Shows the secrets that were made here, and none that the client has already: each at its entry, the first also beside them. */
    static SubscriptionAnswer withNewSecrets(Subscription subscription, List<SigningRequest> signing) {
        List<Signing> entries = new ArrayList<>();
        for (SigningRequest one : signing) {
            String made = one.made() ? one.secret().reveal() : null;
            entries.add(new Signing(one.entry().scheme(), one.entry().prefix(), made));
        }
        return showing(subscription, entries);
    }

    private static SubscriptionAnswer showing(Subscription subscription, List<Signing> signing) {
        Destination destination = subscription.destination();
        EventFilter filter = subscription.filter();
        DeliveryRules rules = subscription.rules();
        return new SubscriptionAnswer(
                subscription.id(),
                subscription.name(),
                destination.mode(),
                destination.url(),
                filter.types().patterns(),
                filter.match().acceptsAll() ? null : filter.match().matches(),
                signing,
                destination.headers().isEmpty() ? null : destination.headers(),
                destination.template() == null ? null : destination.template().given(),
                auth(destination.access()),
                tls(destination.access()),
                destination.ack(),
                rules.semantics(),
                rules.order().ordering(),
                rules.order().onDead(),
                rules.retry(),
                rules.retryStatuses().isEmpty() ? null : rules.retryStatuses(),
                new Limits(rules.inFlight(), rules.perSecond()),
                rules.circuit(),
                subscription.circuit(),
                destination.timeout().toMillis(),
                rules.deadThreshold(),
                subscription.status(),
                subscription.disabledReason(),
                subscription.consecutiveDead(),
                subscription.grants().families(),
                subscription.createdAt(),
                signing.isEmpty() ? null : signing.get(0).secret());
    }

    private static @Nullable Auth auth(AccessTerms access) {
        if (access.bearer()) {
            return new Auth(BearerToken.TYPE);
        }
        return access.oauth() ? new Auth(AccessReader.OAUTH) : null;
    }

    private static @Nullable Tls tls(AccessTerms access) {
        boolean none = access.caExpires() == null && access.certExpires() == null;
        return none ? null : new Tls(access.caExpires(), access.certExpires());
    }

    /** Never shows a secret. */
    @Override
    public String toString() {
        return "SubscriptionAnswer[" + id + "]";
    }
}
