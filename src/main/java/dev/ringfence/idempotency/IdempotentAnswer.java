package dev.ringfence.idempotency;

import dev.ringfence.api.Responses;
import jakarta.ws.rs.core.Response;

/**
 * The answer to a request that may be a repetition.
 *
 * @param replayed whether it was kept from the first time
 */
public record IdempotentAnswer(int status, byte[] body, boolean replayed) {

    /** Marks an answer that was kept from the first time. */
    public static final String REPLAYED_HEADER = "Idempotency-Replayed";

    /** The same as an HTTP response. */
    public Response toResponse() {
        Response response = Responses.bytes(status, body);
        return replayed
                ? Response.fromResponse(response)
                        .header(REPLAYED_HEADER, "true")
                        .build()
                : response;
    }

    @Override
    public String toString() {
        return "IdempotentAnswer[" + status + (replayed ? ", replayed]" : "]");
    }
}
