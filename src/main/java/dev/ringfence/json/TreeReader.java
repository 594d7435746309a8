package dev.ringfence.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Builds the tree of one document and notes, with its pointer, every value that PostgreSQL could not hold. */
final class TreeReader {

    private static final int MAX_ERRORS = 100;

    private final JsonParser parser;
    private final JsonNodeFactory nodes = JsonNodeFactory.instance;
    private final ValueChecks checks = new ValueChecks();
    private final List<FieldError> errors = new ArrayList<>();

    TreeReader(JsonParser parser) {
        this.parser = parser;
    }

    JsonNode read() throws IOException {
        try {
            if (parser.nextToken() == null) {
                throw malformed("", "EMPTY", "the document is empty");
            }
            JsonNode document = value();
            if (parser.nextToken() != null) {
                throw malformed("", "TRAILING_TEXT", "there is text after the document");
            }
            if (!errors.isEmpty()) {
                throw new BadJson(BadJson.Kind.UNSUPPORTED_VALUE, errors);
            }
            return document;
        } catch (StreamConstraintsException e) {
            throw constraint();
        } catch (JsonProcessingException e) {
            throw syntax(e);
        }
    }

    private JsonNode value() throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object();
            case START_ARRAY -> array();
            case VALUE_STRING -> string();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number();
            case VALUE_TRUE -> nodes.booleanNode(true);
            case VALUE_FALSE -> nodes.booleanNode(false);
            case VALUE_NULL -> nodes.nullNode();
            default -> throw malformed(pointer(), "SYNTAX", "unexpected token");
        };
    }

    private ObjectNode object() throws IOException {
        ObjectNode object = nodes.objectNode();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            note(ValueChecks.text(name));
            parser.nextToken();
            object.set(name, value());
        }
        return object;
    }

    private ArrayNode array() throws IOException {
        ArrayNode array = nodes.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(value());
        }
        return array;
    }

    private JsonNode string() throws IOException {
        String text = parser.getText();
        note(ValueChecks.text(text));
        return nodes.textNode(text);
    }

    private JsonNode number() throws IOException {
        String text = parser.getText();
        ValueChecks.Fault fault = checks.number(text);
        note(fault);
        if (fault != ValueChecks.Fault.NONE) {
            return nodes.nullNode();
        }
        return parser.currentToken() == JsonToken.VALUE_NUMBER_INT
                ? nodes.numberNode(parser.getBigIntegerValue())
                : DecimalNode.valueOf(parser.getDecimalValue());
    }

    private void note(ValueChecks.Fault fault) {
        if (fault != ValueChecks.Fault.NONE && errors.size() < MAX_ERRORS) {
            errors.add(new FieldError(pointer(), fault.name(), fault.detail()));
        }
    }

    private String pointer() {
        return parser.getParsingContext().pathAsPointer().toString();
    }

    private BadJson constraint() {
        if (parser.getParsingContext().getNestingDepth() >= StrictJson.MAX_DEPTH) {
            return malformed(pointer(), "TOO_DEEP", "more than " + StrictJson.MAX_DEPTH + " levels of nesting");
        }
        return new BadJson(
                BadJson.Kind.UNSUPPORTED_VALUE,
                pointer(),
                ValueChecks.Fault.OUT_OF_RANGE.name(),
                ValueChecks.Fault.OUT_OF_RANGE.detail());
    }

    private BadJson syntax(JsonProcessingException e) {
        String reason = String.valueOf(e.getOriginalMessage());
        if (reason.startsWith("Duplicate")) {
            return malformed(pointer(), "DUPLICATE_KEY", "an object has the same key twice");
        }
        String place = e.getLocation() == null
                ? ""
                : " at line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr();
        return malformed(pointer(), "SYNTAX", "not a JSON document" + place);
    }

    private static BadJson malformed(String pointer, String code, String detail) {
        return new BadJson(BadJson.Kind.MALFORMED, pointer, code, detail);
    }
}
