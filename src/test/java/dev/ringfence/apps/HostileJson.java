package dev.ringfence.apps;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes bad bodies out of a good one. */
final class HostileJson {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String LONG = "x".repeat(100_000);

    /**
     * A body that must be refused with 422.
     *
     * @param pointer the place that the refusal must name
     */
    record Bad(String what, byte[] body, String pointer) {}

    private HostileJson() {}

    /** Bodies that are no JSON, or not the one that two readers agree on: all 400 {@code MALFORMED_JSON}. */
    static Map<String, byte[]> malformed(JsonNode good) {
        String text = good.toString();
        String inside = text.substring(1);
        Map<String, byte[]> bodies = new LinkedHashMap<>();
        bodies.put("nothing", new byte[0]);
        bodies.put("white space", utf8(" \r\n\t"));
        bodies.put("a cut document", utf8(text.substring(0, text.length() - 1)));
        bodies.put("text after the document", utf8(text + "x"));
        bodies.put("a second document", utf8(text + text));
        bodies.put("a key twice", utf8("{\"zz\":1,\"zz\":2," + inside));
        bodies.put("a key twice, once escaped", utf8("{\"zz\":1,\"\\u007az\":2," + inside));
        bodies.put("a trailing comma", utf8(text.substring(0, text.length() - 1) + ",}"));
        bodies.put("a comment", utf8("/* */" + text));
        bodies.put("single quotes", utf8(text.replace('"', '\'')));
        bodies.put("a name without quotes", utf8("{zz:1," + inside));
        bodies.put("NaN", utf8("{\"zz\":NaN," + inside));
        bodies.put("a number with a leading zero", utf8("{\"zz\":01," + inside));
        bodies.put("a raw control character", utf8("{\"zz\":\"\u0001\"," + inside));
        bodies.put("a byte order mark", concat(new byte[] {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF}, utf8(text)));
        bodies.put("UTF-16 with its mark", text.getBytes(StandardCharsets.UTF_16));
        bodies.put("UTF-16 without", text.getBytes(StandardCharsets.UTF_16LE));
        bodies.put(
                "a byte that is no UTF-8", concat(utf8("{\"zz\":\""), new byte[] {(byte) 0xFF}, utf8("\"," + inside)));
        bodies.put(
                "a surrogate in UTF-8",
                concat(utf8("{\"zz\":\""), new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80}, utf8("\"," + inside)));
        bodies.put(
                "an overlong NUL",
                concat(utf8("{\"zz\":\""), new byte[] {(byte) 0xC0, (byte) 0x80}, utf8("\"," + inside)));
        bodies.put("a raw NUL", concat(utf8(text), new byte[1]));
        bodies.put("65 levels", utf8("{\"zz\":" + "[".repeat(65) + "]".repeat(65) + "," + inside));
        bodies.put("half a million levels", utf8("[".repeat(500_000)));
        bodies.put("a form", utf8("name=x&roles=admin"));
        bodies.put("XML", utf8("<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>"));
        return bodies;
    }

    /** Well-formed bodies that cannot be stored, or are of the wrong type as a whole. */
    static List<Bad> unusable(ObjectNode good) {
        String inside = good.toString().substring(1);
        List<Bad> bodies = new ArrayList<>();
        for (String other : List.of("null", "true", "1", "\"{}\"", "[]", "[" + good + "]")) {
            bodies.add(new Bad(other.substring(0, Math.min(8, other.length())), utf8(other), ""));
        }
        bodies.add(new Bad("NUL", utf8("{\"zz\":\"\\u0000\"," + inside), "/zz"));
        bodies.add(new Bad("NUL in a name", utf8("{\"a\\u0000\":1," + inside), "/a\u0000"));
        bodies.add(new Bad("half a pair", utf8("{\"zz\":\"\\ud800\"," + inside), "/zz"));
        bodies.add(new Bad("a pair the wrong way", utf8("{\"zz\":\"\\udc00\\ud800\"," + inside), "/zz"));
        bodies.add(new Bad("a number beyond all", utf8("{\"zz\":1e999999999," + inside), "/zz"));
        bodies.add(
                new Bad("a number with too many digits", utf8("{\"zz\":" + "9".repeat(2_000) + "," + inside), "/zz"));
        bodies.add(new Bad("a number near nothing", utf8("{\"zz\":1e-99999," + inside), "/zz"));
        return bodies;
    }

    /**
     * For each property of a good body, all that is wrong there: every other type, too long a text, numbers out of every range; and in each
     * object a property that is not known.
     *
     * @param open pointers of objects that take any property, or whose content is the caller's own
     */
    static List<Bad> badProperties(ObjectNode good, Set<String> open, boolean unknownRefused) {
        List<Bad> bodies = new ArrayList<>();
        walk(good, good, "", open, unknownRefused, bodies);
        return bodies;
    }

    private static void walk(
            ObjectNode good, JsonNode at, String pointer, Set<String> open, boolean unknownRefused, List<Bad> bodies) {
        if (!pointer.isEmpty()) {
            for (JsonNode other : others(at)) {
                bodies.add(with(good, pointer, other));
            }
        }
        if (open.contains(pointer)) {
            return;
        }
        if (at.isObject()) {
            if (unknownRefused) {
                ObjectNode more = good.deepCopy();
                ((ObjectNode) more.at(pointer)).put("zzUnknown", 1);
                bodies.add(new Bad("unknown in '" + pointer + "'", utf8(more.toString()), pointer + "/zzUnknown"));
            }
            at.properties()
                    .forEach(field ->
                            walk(good, field.getValue(), pointer + "/" + field.getKey(), open, unknownRefused, bodies));
        } else if (at.isArray()) {
            for (int i = 0; i < at.size(); i++) {
                walk(good, at.get(i), pointer + "/" + i, open, unknownRefused, bodies);
            }
        }
    }

    /** Values that are wrong where {@code good} is right. */
    private static List<JsonNode> others(JsonNode good) {
        List<JsonNode> others = new ArrayList<>();
        others.add(NODES.nullNode());
        if (!good.isBoolean()) {
            others.add(NODES.booleanNode(true));
        }
        if (good.isNumber()) {
            others.add(NODES.numberNode(-1));
            others.add(NODES.numberNode(1.5));
            others.add(NODES.numberNode(new java.math.BigDecimal("1e30")));
        } else {
            others.add(NODES.numberNode(7));
        }
        if (good.isTextual()) {
            others.add(NODES.textNode(LONG));
        } else {
            others.add(NODES.textNode("1"));
        }
        if (!good.isArray()) {
            others.add(NODES.arrayNode().add(good.deepCopy()));
        }
        if (!good.isObject()) {
            others.add(NODES.objectNode());
        }
        return others;
    }

    private static Bad with(ObjectNode good, String pointer, JsonNode value) {
        ObjectNode changed = good.deepCopy();
        JsonPointer place = JsonPointer.compile(pointer);
        JsonNode parent = changed.at(place.head());
        if (parent instanceof ArrayNode array) {
            array.set(place.last().getMatchingIndex(), value);
        } else {
            ((ObjectNode) parent).set(place.last().getMatchingProperty(), value);
        }
        String shown = value.toString();
        return new Bad(
                pointer + " = " + shown.substring(0, Math.min(20, shown.length())), utf8(changed.toString()), pointer);
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
