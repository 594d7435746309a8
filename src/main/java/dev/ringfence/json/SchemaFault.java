package dev.ringfence.json;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** The stable codes of schema violations. Texts are fixed: the validator's own depend on the locale. */
enum SchemaFault {
    UNKNOWN_FIELD("this field is not known"),
    REQUIRED("this field is required"),
    WRONG_TYPE("wrong type, expected: "),
    BAD_FORMAT("wrong format, expected: "),
    OUT_OF_RANGE("out of range, the limit is "),
    NOT_ALLOWED("not one of the allowed values: "),
    TOO_LONG("too long, the limit in characters is "),
    TOO_SHORT("too short, the least number of characters is "),
    TOO_MANY("too many entries, the limit is "),
    TOO_FEW("too few entries, the least number is "),
    DUPLICATE("an entry occurs twice"),
    INVALID_VALUE("this value does not satisfy its rule");

    private final String text;

    SchemaFault(String text) {
        this.text = text;
    }

    static SchemaFault of(String keyword) {
        return switch (keyword) {
            case "additionalProperties", "unevaluatedProperties" -> UNKNOWN_FIELD;
            case "required", "dependentRequired" -> REQUIRED;
            case "type" -> WRONG_TYPE;
            case "format", "pattern" -> BAD_FORMAT;
            case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf" -> OUT_OF_RANGE;
            case "enum", "const" -> NOT_ALLOWED;
            case "maxLength" -> TOO_LONG;
            case "minLength" -> TOO_SHORT;
            case "maxItems", "maxProperties" -> TOO_MANY;
            case "minItems", "minProperties" -> TOO_FEW;
            case "uniqueItems" -> DUPLICATE;
            default -> INVALID_VALUE;
        };
    }

    /** Whether the fault belongs to a member of the object that the validator names. */
    boolean atMember() {
        return this == UNKNOWN_FIELD || this == REQUIRED;
    }

    /** The text for people, with the schema's own limit where there is one. */
    String detail(@Nullable JsonNode limit) {
        return text.endsWith(" ") && limit != null ? text + StrictJson.text(limit) : text.strip();
    }
}
