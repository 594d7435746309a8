package dev.ringfence.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** JSON Merge Patch (RFC 7396): members of the patch replace those of the target, null removes, objects are merged, arrays are not. */
public final class MergePatch {

    private MergePatch() {}

    /** The patched document; neither argument is changed. */
    public static JsonNode apply(JsonNode target, JsonNode patch) {
        return merge(target, patch, false);
    }

    /** As {@link #apply}, but what the patch removes stays as null: so one sees everything that the patch names, also what is not there. */
    public static JsonNode outline(JsonNode target, JsonNode patch) {
        return merge(target, patch, true);
    }

    private static JsonNode merge(JsonNode target, JsonNode patch, boolean nulls) {
        if (!patch.isObject()) {
            return patch.deepCopy();
        }
        ObjectNode merged = target.isObject() ? target.deepCopy() : JsonNodeFactory.instance.objectNode();
        patch.properties().forEach(member -> {
            if (member.getValue().isNull() && !nulls) {
                merged.remove(member.getKey());
            } else {
                merged.set(member.getKey(), merge(merged.path(member.getKey()), member.getValue(), nulls));
            }
        });
        return merged;
    }
}
