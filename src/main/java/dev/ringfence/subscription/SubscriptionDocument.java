package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.json.FieldError;
import dev.ringfence.json.MergePatch;
import dev.ringfence.json.StrictJson;
import dev.ringfence.transport.TlsMaterial;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A subscription written as the request that would create it, so that a merge patch can be applied to it and the outcome be checked as
 * creations are. Secrets are no part of it, but for certificates where the patch changes some of their parts.
 */
final class SubscriptionDocument {

    private static final String CODE = "NOT_CHANGEABLE";

    private static final Map<String, String> FIXED = Map.of(
            "grants", "Grants are replaced by PUT …/grants.",
            "signing", "Signing entries are fixed; their secrets change by POST …/rotate-secret.");

    private SubscriptionDocument() {}

    /** What of the subscription the patch may not change. */
    static List<FieldError> fixed(Subscription subscription, JsonNode patch) {
        List<FieldError> errors = new ArrayList<>();
        FIXED.forEach((field, sentence) -> {
            if (patch.has(field)) {
                errors.add(new FieldError("/" + field, CODE, sentence));
            }
        });
        String mode = subscription.destination().mode().name();
        if (patch.has("mode") && !patch.path("mode").asText().equals(mode)) {
            errors.add(new FieldError("/mode", CODE, "Another mode is another subscription."));
        }
        return errors;
    }

    /** What the patch makes of the subscription. Of {@code tls} nothing is left where it took all parts away. */
    static JsonNode patched(JsonNode before, JsonNode patch) {
        JsonNode after = MergePatch.apply(before, patch);
        boolean named = !patch.path("tls").isEmpty();
        if (named && after.path("tls").isObject() && after.path("tls").isEmpty()) {
            ((ObjectNode) after).remove("tls");
        }
        return after;
    }

    /** @param tls the certificates that are there, where the patch may keep a part of them */
    static JsonNode of(Subscription subscription, TlsMaterial tls) {
        Destination destination = subscription.destination();
        DeliveryRules rules = subscription.rules();
        ObjectNode document = (ObjectNode) StrictJson.tree(Map.of());
        document.put("name", subscription.name());
        document.put("mode", destination.mode().name());
        document.set("eventTypes", StrictJson.tree(subscription.filter().types().patterns()));
        if (!subscription.filter().match().acceptsAll()) {
            document.set("match", subscription.filter().match().matches());
        }
        if (destination.mode() == Mode.PULL) {
            return document;
        }
        document.put("url", destination.url());
        document.set("signing", StrictJson.tree(subscription.signing()));
        if (!destination.headers().isEmpty()) {
            document.set("headers", StrictJson.tree(destination.headers()));
        }
        EnvelopeTemplate template = destination.template();
        if (template != null) {
            document.set("envelope", template.given());
        }
        if (!tls.equals(TlsMaterial.NONE)) {
            document.set("tls", StrictJson.tree(SealedAccess.parts(tls)));
        }
        document.put("ack", destination.ack().name());
        document.put("semantics", rules.semantics().name());
        document.set("retry", StrictJson.tree(rules.retry()));
        if (!rules.retryStatuses().isEmpty()) {
            document.set("retryStatuses", StrictJson.tree(rules.retryStatuses()));
        }
        document.set("limits", StrictJson.tree(new SubscriptionAnswer.Limits(rules.inFlight(), rules.perSecond())));
        document.set("circuit", StrictJson.tree(rules.circuit()));
        document.put("ordering", rules.order().ordering().name());
        document.put("onDead", rules.order().onDead().name());
        document.put("timeoutMs", destination.timeout().toMillis());
        document.put("deadThreshold", rules.deadThreshold());
        return document;
    }
}
