package dev.ringfence.transport;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.BadJson;
import dev.ringfence.json.StrictJson;
import dev.ringfence.transport.Receipt.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads an acknowledgement of profile RECEIPT (HT-2). Whatever is odd about it makes it none: two readers must not be
 * able to see two different answers in it.
 */
final class AckParser {
    private static final String SCOPE = "app";
    private static final Pattern ID = Pattern.compile("[0-9]{1,19}");

    private AckParser() {}

    /**
     * The receipt in an answer's body.
     *
     * @param appIds those of the events that were sent, in their order
     * @return empty where the body does not account for exactly these events
     */
    static Optional<Receipt> parse(byte[] body, List<String> appIds) {
        JsonNode root;
        try {
            root = StrictJson.parse(body, body.length);
        } catch (BadJson e) {
            return Optional.empty();
        }
        long stored = count(root.get("stored"));
        long deduped = count(root.get("deduped"));
        List<Result> results = results(root.get("results"), appIds);
        boolean valid = isTrue(root.get("ok"))
                && isText(root.get("scope"), SCOPE)
                && stored >= 0
                && deduped >= 0
                // No sum: it could overflow.
                && stored <= appIds.size()
                && deduped == appIds.size() - stored
                && results.size() == appIds.size();
        return valid ? Optional.of(new Receipt(true, stored, deduped, SCOPE, results)) : Optional.empty();
    }

    /** The results, or none where one of them is not as it must be. */
    private static List<Result> results(@Nullable JsonNode results, List<String> appIds) {
        List<Result> valid = new ArrayList<>();
        if (results == null || !results.isArray() || results.size() != appIds.size()) {
            return valid;
        }
        for (int i = 0; i < appIds.size(); i++) {
            JsonNode id = results.get(i).get("id");
            if (!isText(results.get(i).get("appId"), appIds.get(i))
                    || !isText(results.get(i).get("scope"), SCOPE)
                    || id == null
                    || !id.isTextual()
                    || !ID.matcher(id.textValue()).matches()) {
                return List.of();
            }
            valid.add(new Result(appIds.get(i), SCOPE, id.textValue()));
        }
        return valid;
    }

    private static boolean isTrue(@Nullable JsonNode node) {
        return node != null && node.isBoolean() && node.booleanValue();
    }

    private static boolean isText(@Nullable JsonNode node, String text) {
        return node != null && node.isTextual() && node.textValue().equals(text);
    }

    /** -1 where it is no count. */
    private static long count(@Nullable JsonNode node) {
        return node != null && node.isIntegralNumber() && node.canConvertToLong() ? node.longValue() : -1;
    }
}
