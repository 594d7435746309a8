package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.JsonRequests;
import dev.ringfence.config.Settings;
import dev.ringfence.json.FieldError;
import dev.ringfence.transport.DestinationGuard;
import dev.ringfence.transport.DestinationNotAllowed;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Clock;
import java.util.List;
import java.util.Map;

/** Reads request bodies of this package; every fault is answered with its pointer, all of a body at once. */
@ApplicationScoped
public class SubscriptionRequests {

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
        checkDestination("/url", request.path("url").asText());
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
