package dev.ringfence.subscription;

import dev.ringfence.json.StrictJson;
import java.nio.charset.StandardCharsets;

/** Envelope templates as they are read from the database. */
public final class SampleTemplate {

    private SampleTemplate() {}

    public static EnvelopeTemplate of(String json) {
        return TemplateReader.stored(StrictJson.parse(json.getBytes(StandardCharsets.UTF_8)));
    }
}
