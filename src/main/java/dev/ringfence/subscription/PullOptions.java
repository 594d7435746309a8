package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.FieldError;
import java.util.List;
import java.util.Map;

/**
 * Options that mean something only where somebody is sent to. A subscription of mode {@code PULL} is fetched, so each of them is refused by
 * name instead of being stored and ignored (PL-1).
 */
final class PullOptions {

    private static final List<String> OF_REQUESTS = List.of(
            "url",
            "signing",
            "headers",
            "auth",
            "tls",
            "ack",
            "semantics",
            "retry",
            "retryStatuses",
            "limits",
            "circuit",
            "envelope",
            "timeoutMs",
            "deadThreshold");

    private static final Map<String, String> OF_ORDER = Map.of("ordering", "KEY", "onDead", "BLOCK");

    private PullOptions() {}

    static boolean isPull(JsonNode request) {
        return request.path("mode").asText().equals(Mode.PULL.name());
    }

    static void check(JsonNode request, List<FieldError> errors) {
        if (isPull(request)) {
            OF_REQUESTS.stream()
                    .filter(request::hasNonNull)
                    .forEach(option -> errors.add(new FieldError(
                            "/" + option,
                            "NOT_APPLICABLE",
                            "A PULL subscription is fetched, not sent to, so it has no such option.")));
            OF_ORDER.forEach((option, value) -> {
                if (request.path(option).asText().equals(value)) {
                    errors.add(
                            new FieldError(
                                    "/" + option,
                                    "NOT_APPLICABLE",
                                    "A feed holds nothing back; whoever reads it has the numbers of the order in the envelopes."));
                }
            });
        }
    }
}
