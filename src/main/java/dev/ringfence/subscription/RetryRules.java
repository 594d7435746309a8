package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.config.Settings;
import dev.ringfence.json.FieldError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads a subscription's {@code retry} within the installation's ceilings (DL-2). The shape is validated before. */
final class RetryRules {

    static final double DEFAULT_JITTER = 0.1;

    private final int maxAttempts;
    private final Duration maxAge;
    private final List<Integer> defaultWaits;

    RetryRules(Settings settings) {
        this.maxAttempts = settings.maxAttempts();
        this.maxAge = settings.maxAge();
        this.defaultWaits = settings.waits().stream()
                .map(wait -> Math.toIntExact(wait.toSeconds()))
                .toList();
    }

    /**
     * The policy; what is not given comes from the defaults: waits are cut or continued to fit the number of attempts, and where neither is given
     * there are as many attempts as fit into the age.
     *
     * @param errors takes what is wrong; the policy means nothing then
     */
    RetryPolicy read(JsonNode retry, List<FieldError> errors) {
        RetryPolicy policy = kept(retry);
        boolean waits = retry.path("waitsSeconds").isArray();
        check(policy, waits ? "/retry/waitsSeconds" : "/retry/attempts", errors);
        return policy;
    }

    /** As {@link #read} for what was within the ceilings when it was given; one that was lowered since holds where attempts are made. */
    RetryPolicy kept(JsonNode retry) {
        JsonNode given = retry.path("waitsSeconds");
        int implied = given.isArray() ? given.size() + 1 : fitting();
        int attempts = retry.path("attempts").asInt(implied);
        List<Integer> waits =
                given.isArray() ? given.valueStream().map(JsonNode::asInt).toList() : defaults(attempts);
        return new RetryPolicy(waits, retry.path("jitter").asDouble(DEFAULT_JITTER), attempts);
    }

    /** @param cause the pointer of what the request says of the waits' sum */
    private void check(RetryPolicy policy, String cause, List<FieldError> errors) {
        List<Integer> waits = policy.waitsSeconds();
        int attempts = policy.attempts();
        if (attempts > maxAttempts) {
            errors.add(new FieldError(
                    "/retry/attempts",
                    "OUT_OF_RANGE",
                    "This installation allows at most " + maxAttempts + " attempts."));
        }
        if (waits.size() != attempts - 1) {
            errors.add(new FieldError(
                    "/retry/waitsSeconds",
                    "WRONG_COUNT",
                    "There is one wait less than attempts: " + (attempts - 1) + "."));
        }
        if (!fits(waits)) {
            errors.add(new FieldError(
                    cause, "OUT_OF_RANGE", "The waits stay under " + maxAge.toSeconds() + " seconds in total."));
        }
    }

    private int fitting() {
        int attempts = maxAttempts;
        while (!fits(defaults(attempts))) {
            attempts--;
        }
        return attempts;
    }

    /** No wait at all always fits. */
    private boolean fits(List<Integer> waits) {
        return waits.isEmpty() || waits.stream().mapToLong(Integer::longValue).sum() < maxAge.toSeconds();
    }

    private List<Integer> defaults(int attempts) {
        List<Integer> waits = new ArrayList<>();
        for (int i = 0; i < attempts - 1; i++) {
            int last = defaultWaits.size() - 1;
            waits.add(last < 0 ? 1 : defaultWaits.get(Math.min(i, last)));
        }
        return waits;
    }
}
