package dev.ringfence.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The request schemas (JSON Schema 2020-12, {@code schemas/<name>.json} on the class path), each loaded once. A schema
 * that is missing or broken is a fault of the build, so it ends in an exception.
 */
@ApplicationScoped
public class JsonSchemas {

    private final SchemaRegistry registry = SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12,
            registry -> registry.nodeReader(
                    reader -> reader.jsonMapper(JsonFactories.plainMapper().setNodeFactory(new OwnTexts()))));
    private final Map<String, Schema> schemas = new ConcurrentHashMap<>();

    /**
     * Validates a document, formats included.
     *
     * @param name the schema's name, without folder and ending
     * @return what is wrong, ordered by pointer; empty where the document is valid
     */
    public List<FieldError> validate(String name, JsonNode document) {
        return schemas
                .computeIfAbsent(name, this::load)
                .validate(document, context -> context.executionConfig(config -> config.formatAssertionsEnabled(true)))
                .stream()
                .map(JsonSchemas::fieldError)
                .distinct()
                .sorted(Comparator.comparing(FieldError::pointer).thenComparing(FieldError::code))
                .toList();
    }

    private Schema load(String name) {
        String path = "/schemas/" + name + ".json";
        try (InputStream in = JsonSchemas.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalArgumentException("no schema " + path);
            }
            return registry.getSchema(in, InputFormat.JSON);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + path, e);
        }
    }

    private static FieldError fieldError(Error error) {
        SchemaFault fault = SchemaFault.of(error.getKeyword());
        String place = error.getInstanceLocation().toString();
        String pointer = fault.atMember() ? FieldError.memberPointer(place, error.getProperty()) : place;
        return new FieldError(pointer, fault.name(), fault.detail(error.getSchemaNode()));
    }
}
