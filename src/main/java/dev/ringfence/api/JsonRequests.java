package dev.ringfence.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.BadJson;
import dev.ringfence.json.FieldError;
import dev.ringfence.json.JsonSchemas;
import dev.ringfence.json.StrictJson;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;

/** Turns the bytes of a request into a document that satisfies its schema. */
@ApplicationScoped
public class JsonRequests {

    /** Largest body: one mebibyte. */
    public static final int MAX_BODY_BYTES = StrictJson.MAX_BYTES;

    @Inject
    JsonSchemas schemas;

    /**
     * Reads a request body.
     *
     * @param raw the bytes as received
     * @param schemaName name of the schema in {@code schemas/}
     * @throws ApiProblem 400 {@code MALFORMED_JSON}, 413 {@code BODY_TOO_LARGE}, 422 {@code INVALID} with every error
     */
    public JsonNode body(byte[] raw, String schemaName) {
        JsonNode document = document(raw);
        List<FieldError> errors = faults(document, schemaName);
        if (!errors.isEmpty()) {
            throw ApiProblem.invalid(errors);
        }
        return document;
    }

    /** What the schema says is wrong with a document; empty where nothing is. */
    public List<FieldError> faults(JsonNode document, String schemaName) {
        return schemas.validate(schemaName, document);
    }

    /**
     * Reads a body that has no schema of its own.
     *
     * @throws ApiProblem 400 {@code MALFORMED_JSON}, 413 {@code BODY_TOO_LARGE}, 422 {@code INVALID}
     */
    public JsonNode document(byte[] raw) {
        try {
            return StrictJson.parse(raw, MAX_BODY_BYTES);
        } catch (BadJson e) {
            throw ProblemTranslator.of(e);
        }
    }
}
