package dev.ringfence.idempotency;

import dev.ringfence.json.StrictJson;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a deed answers.
 *
 * @param status the HTTP status
 * @param body the JSON for the client
 * @param stored the JSON that a repetition is answered with: the same, but without any secret
 */
public record Outcome(int status, byte[] body, byte[] stored) {

    /** An answer without secrets. */
    public static Outcome of(int status, Object document) {
        byte[] json = StrictJson.write(document);
        return new Outcome(status, json, json);
    }

    /** An answer that shows secrets this once: {@code shown} are members added to {@code document} for the client only. */
    public static Outcome showing(int status, Object document, Map<String, ?> shown) {
        Map<String, Object> whole = new LinkedHashMap<>();
        StrictJson.tree(document).properties().forEach(member -> whole.put(member.getKey(), member.getValue()));
        whole.putAll(shown);
        return new Outcome(status, StrictJson.write(whole), StrictJson.write(document));
    }

    @Override
    public String toString() {
        return "Outcome[" + status + "]";
    }
}
