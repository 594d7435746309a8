package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.JsonRequests;
import dev.ringfence.config.Settings;
import dev.ringfence.json.FieldError;
import dev.ringfence.json.MergePatch;
import dev.ringfence.transport.DestinationGuard;
import dev.ringfence.transport.DestinationNotAllowed;
import dev.ringfence.transport.TlsMaterial;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads request bodies of this package; every fault is answered with its pointer, all of a body at once. */
@ApplicationScoped
public class SubscriptionRequests {

    /** The code of a member that no schema knows. */
    private static final String UNKNOWN = "UNKNOWN_FIELD";

    private final JsonRequests requests;
    private final DestinationGuard guard;
    private final Settings settings;
    private final Clock clock;

    @Inject
    public SubscriptionRequests(JsonRequests requests, DestinationGuard guard, Settings settings, Clock clock) {
        this.clock = clock;
        this.requests = requests;
        this.guard = guard;
        this.settings = settings;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    protected SubscriptionRequests() {
        this.requests = null;
        this.guard = null;
        this.settings = null;
        this.clock = null;
    }

    /**
     * Reads the creation of a subscription.
     *
     * @throws ApiProblem 400, 413 or 422 {@code INVALID}; 422 {@code DESTINATION_NOT_ALLOWED} where only the destination is refused
     */
    SubscriptionDraft creation(byte[] body) {
        JsonNode request = requests.body(body, "subscription");
        SubscriptionDraft draft = new SubscriptionReader(settings, clock).read(request);
        if (draft.destination().mode() == Mode.PUSH) {
            checkDestination("/url", request.path("url").asText());
        }
        if (draft.access().oauth() != null) {
            checkDestination(
                    "/auth/tokenUrl", request.path("auth").path("tokenUrl").asText());
        }
        return draft;
    }

    /**
     * Reads a new list of grants.
     *
     * @throws ApiProblem 400, 413 or 422 {@code INVALID}
     */
    Grants grants(byte[] body) {
        return new Grants(requests.body(body, "grants")
                .path("families")
                .valueStream()
                .map(JsonNode::asText)
                .toList());
    }

    /**
     * Reads a change. Call it before any transaction: it may resolve the hosts of new URLs.
     *
     * @throws ApiProblem 400, 413 or 422 {@code INVALID}; 422 {@code DESTINATION_NOT_ALLOWED}
     */
    SubscriptionPatch patch(byte[] body) {
        JsonNode patch = requests.document(body);
        if (!patch.isObject()) {
            throw ApiProblem.invalid("", "WRONG_TYPE", "A merge patch of a subscription is an object.");
        }
        if (patch.path("url").isTextual()) {
            checkDestination("/url", patch.path("url").asText());
        }
        JsonNode tokenUrl = patch.path("auth").path("tokenUrl");
        if (tokenUrl.isTextual()) {
            checkDestination("/auth/tokenUrl", tokenUrl.asText());
        }
        return new SubscriptionPatch(patch);
    }

    /**
     * What the patch makes of the subscription.
     *
     * @param tls the certificates that are there, where the patch may keep a part of them
     * @throws ApiProblem 422 {@code INVALID} with everything that is wrong
     */
    SubscriptionDraft patched(Subscription subscription, SubscriptionPatch patch, TlsMaterial tls) {
        JsonNode before = SubscriptionDocument.of(subscription, tls);
        JsonNode document = SubscriptionDocument.patched(before, patch.document());
        List<FieldError> errors = SubscriptionDocument.fixed(subscription, patch.document());
        if (errors.isEmpty()) {
            errors = faults(document, MergePatch.outline(before, patch.document()));
        }
        if (!errors.isEmpty()) {
            throw ApiProblem.invalid(errors);
        }
        SubscriptionDraft draft = new SubscriptionReader(settings, clock).patched(document, patch.document());
        AccessTerms kept = patch.kept(subscription.destination().access());
        if (kept.ownTls() && AccessReader.plain(document)) {
            throw ApiProblem.invalid(List.of(AccessReader.NEEDS_HTTPS));
        }
        return draft.keeping(kept);
    }

    /** What is wrong with a patched document, and what the patch removes that no subscription has. */
    private List<FieldError> faults(JsonNode document, JsonNode outline) {
        Stream<FieldError> unknown = requests.faults(outline, "subscription").stream()
                .filter(fault -> fault.code().equals(UNKNOWN));
        return Stream.concat(requests.faults(document, "subscription").stream(), unknown)
                .distinct()
                .sorted(Comparator.comparing(FieldError::pointer))
                .toList();
    }

    /**
     * Reads how long earlier secrets still sign.
     *
     * @throws ApiProblem 400, 413 or 422 {@code INVALID}
     */
    Duration grace(byte[] body) {
        return Duration.ofSeconds(
                requests.body(body, "rotation").path("graceSeconds").asLong());
    }

    /**
     * Reads the body of an operation that needs none: nothing, or an object with a reason.
     *
     * @throws ApiProblem 400, 413 or 422 {@code INVALID}
     */
    @Nullable
    String reason(byte[] body) {
        return body.length == 0
                ? null
                : requests.body(body, "pause").path("reason").textValue();
    }

    private void checkDestination(String pointer, String url) {
        try {
            guard.checkAtConfiguration(url);
        } catch (DestinationNotAllowed refused) {
            String reason = String.valueOf(refused.getMessage());
            FieldError error = new FieldError(pointer, refused.reason().name(), reason);
            throw new ApiProblem(422, "DESTINATION_NOT_ALLOWED", reason, List.of(error), Map.of());
        }
    }
}
