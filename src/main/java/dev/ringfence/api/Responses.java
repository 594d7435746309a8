package dev.ringfence.api;

import dev.ringfence.json.StrictJson;
import jakarta.ws.rs.core.Response;

/** Answers in the product's own JSON, so that no server's JSON provider has a say. */
public final class Responses {

    /** Media type of every answer that is no problem. */
    public static final String JSON = "application/json";

    private Responses() {}

    /** An answer with that document; see {@link StrictJson#write(Object)} for what may be in it. */
    public static Response json(int status, Object document) {
        return bytes(status, StrictJson.write(document));
    }

    /** An answer whose JSON bytes exist already. */
    public static Response bytes(int status, byte[] json) {
        return Response.status(status).type(JSON).entity(json).build();
    }
}
