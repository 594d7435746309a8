package dev.ringfence.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import dev.ringfence.time.Instants;
import java.io.IOException;
import java.time.Instant;

/** Writes an instant the way every answer of the interface does. */
final class InstantSerializer extends JsonSerializer<Instant> {

    @Override
    public void serialize(Instant value, JsonGenerator out, SerializerProvider provider) throws IOException {
        out.writeString(Instants.format(value));
    }
}
