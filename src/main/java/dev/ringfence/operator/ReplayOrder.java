package dev.ringfence.operator;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.json.FieldError;
import dev.ringfence.time.Instants;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What an operator wants replayed.
 *
 * @param states of deliveries that are taken, as the database knows them
 * @param reason the operator's own words
 */
record ReplayOrder(Instant from, Instant to, List<String> states, String reason) {

    /** Longest window. */
    static final Duration LONGEST = Duration.ofDays(31);

    /** What is taken where the order says nothing: what did not arrive. */
    private static final List<String> DEFAULT_STATES = List.of("dead", "failed");

    ReplayOrder {
        states = List.copyOf(states);
    }

    /**
     * Reads a body that has the right shape.
     *
     * @throws ApiProblem 422 {@code INVALID}
     */
    static ReplayOrder read(JsonNode body) {
        List<FieldError> errors = new ArrayList<>();
        Instant from = instant(body, "from", errors);
        Instant to = instant(body, "to", errors);
        if (errors.isEmpty() && !from.isBefore(to)) {
            errors.add(new FieldError("/to", "OUT_OF_RANGE", "A window ends after it begins."));
        } else if (errors.isEmpty() && Duration.between(from, to).compareTo(LONGEST) > 0) {
            errors.add(new FieldError("/to", "OUT_OF_RANGE", "A window has at most " + LONGEST.toDays() + " days."));
        }
        if (!errors.isEmpty()) {
            throw ApiProblem.invalid(errors);
        }
        List<String> states = new ArrayList<>();
        body.path("states").forEach(state -> states.add(state.asText()));
        return new ReplayOrder(
                from,
                to,
                states.isEmpty() ? DEFAULT_STATES : states,
                body.path("reason").asText());
    }

    private static Instant instant(JsonNode body, String field, List<FieldError> errors) {
        return Instants.parse(body.path(field).asText()).map(Instants::micros).orElseGet(() -> {
            errors.add(new FieldError("/" + field, "BAD_FORMAT", "An instant is RFC 3339 with a zone."));
            return Instant.EPOCH;
        });
    }
}
