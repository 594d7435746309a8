package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.config.Settings;
import dev.ringfence.json.FieldError;
import dev.ringfence.transport.AckProfile;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes a subscription's draft of a document that has the right shape: fills in defaults and checks what a schema cannot. */
final class SubscriptionReader {

    private static final int DEFAULT_TIMEOUT_MS = 2_000;
    private static final int DEFAULT_DEAD_THRESHOLD = 10;
    private static final int DEFAULT_IN_FLIGHT = 10;

    private final Clock clock;
    private final RetryRules retryRules;

    SubscriptionReader(Settings settings, Clock clock) {
        this.clock = clock;
        this.retryRules = new RetryRules(settings);
    }

    /**
     * Reads the document.
     *
     * @throws ApiProblem 422 {@code INVALID} with everything that is wrong
     */
    SubscriptionDraft read(JsonNode request) {
        return read(request, true);
    }

    /**
     * As {@link #read} for a subscription that exists. Where the patch does not name {@code retry}, a ceiling that was lowered since refuses
     * nothing.
     *
     * @param document what the patch makes of it
     */
    SubscriptionDraft patched(JsonNode document, JsonNode patch) {
        return read(document, patch.has("retry"));
    }

    private SubscriptionDraft read(JsonNode request, boolean newRetry) {
        List<FieldError> errors = new ArrayList<>();
        UnavailableOptions.check(request, errors);
        PullOptions.check(request, errors);
        SubscriptionDraft draft = draft(request, newRetry, errors);
        if (!errors.isEmpty()) {
            errors.sort(Comparator.comparing(FieldError::pointer));
            throw ApiProblem.invalid(errors);
        }
        return draft;
    }

    private SubscriptionDraft draft(JsonNode request, boolean newRetry, List<FieldError> errors) {
        if (!request.has("url") && request.path("mode").asText().equals(Mode.PUSH.name())) {
            errors.add(new FieldError("/url", "REQUIRED", "A PUSH subscription needs a URL."));
        }
        checkMatch(request.path("match"), errors);
        List<SigningRequest> signing =
                PullOptions.isPull(request) ? List.of() : SigningRequest.readAll(request.path("signing"), errors);
        AccessReader access = AccessReader.read(request, clock.instant(), errors);
        EventTypeFilter types = new EventTypeFilter(texts(request.path("eventTypes")));
        return new SubscriptionDraft(
                request.path("name").asText(),
                destination(request, headers(request.path("headers"), signing, errors), access.terms(), errors),
                new EventFilter(types, MatchFilter.of(request.get("match"))),
                signing,
                access.access(),
                rules(request, newRetry, errors),
                request.has("grants") ? new Grants(texts(request.path("grants"))) : Grants.impliedBy(types));
    }

    private static Destination destination(
            JsonNode request, Map<String, String> headers, AccessTerms access, List<FieldError> errors) {
        AckProfile ack = AckProfile.valueOf(request.path("ack").asText(AckProfile.STATUS.name()));
        return new Destination(
                Mode.valueOf(request.path("mode").asText()),
                request.path("url").textValue(),
                headers,
                ack,
                Duration.ofMillis(request.path("timeoutMs").asInt(DEFAULT_TIMEOUT_MS)),
                TemplateReader.read(request, ack, errors),
                access);
    }

    private DeliveryRules rules(JsonNode request, boolean newRetry, List<FieldError> errors) {
        JsonNode retry = request.path("retry");
        return new DeliveryRules(
                Semantics.valueOf(request.path("semantics").asText(Semantics.AT_LEAST_ONCE.name())),
                newRetry ? retryRules.read(retry, errors) : retryRules.kept(retry),
                request.path("retryStatuses").valueStream().map(JsonNode::asInt).toList(),
                request.path("limits").path("inFlight").asInt(DEFAULT_IN_FLIGHT),
                perSecond(request.path("limits").path("perSecond")),
                circuit(request.path("circuit"), errors),
                OrderRules.read(request, errors),
                request.path("deadThreshold").asInt(DEFAULT_DEAD_THRESHOLD));
    }

    private static CircuitRules circuit(JsonNode given, List<FieldError> errors) {
        CircuitRules rules = CircuitRules.DEFAULT;
        int pause = given.path("pauseSeconds").asInt(rules.pauseSeconds());
        int most = given.path("maxPauseSeconds").asInt(Math.max(pause, rules.maxPauseSeconds()));
        if (most < pause) {
            errors.add(new FieldError(
                    "/circuit/maxPauseSeconds", "OUT_OF_RANGE", "The longest pause is no shorter than the first."));
        }
        return new CircuitRules(given.path("failures").asInt(rules.failures()), pause, most);
    }

    private static @Nullable Double perSecond(JsonNode limit) {
        return limit.isNumber() ? limit.asDouble() : null;
    }

    private static Map<String, String> headers(JsonNode given, List<SigningRequest> signing, List<FieldError> errors) {
        Map<String, String> headers = new LinkedHashMap<>();
        HeaderRules rules = new HeaderRules(
                signing.stream().map(entry -> entry.entry().prefix()).toList());
        given.properties().forEach(header -> {
            String name = header.getKey();
            String value = header.getValue().asText();
            String pointer = FieldError.memberPointer("/headers", name);
            rules.nameProblem(name).ifPresent(text -> errors.add(new FieldError(pointer, "BAD_HEADER", text)));
            HeaderRules.valueProblem(value).ifPresent(text -> errors.add(new FieldError(pointer, "BAD_HEADER", text)));
            if (headers.keySet().stream().anyMatch(name::equalsIgnoreCase)) {
                errors.add(new FieldError(pointer, "DUPLICATE", "This header is given twice."));
            }
            headers.put(name, value);
        });
        return headers;
    }

    private static void checkMatch(JsonNode match, List<FieldError> errors) {
        for (int i = 0; i < match.size(); i++) {
            String place = "/match/" + i;
            match.path(i).properties().stream()
                    .map(Map.Entry::getKey)
                    .filter(path -> !MatchFilter.isPath(path))
                    .forEach(path -> errors.add(new FieldError(
                            FieldError.memberPointer(place, path),
                            "BAD_FORMAT",
                            "A field is a dotted path into the envelope.")));
        }
    }

    private static List<String> texts(JsonNode array) {
        return array.valueStream().map(JsonNode::asText).toList();
    }
}
