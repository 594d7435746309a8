package dev.ringfence.recording;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.RequestContext;
import dev.ringfence.lifecycle.CallerStart;
import dev.ringfence.lifecycle.TenantRef;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Takes what recording needs out of the HTTP request in hand. */
@ApplicationScoped
public class RequestFacts {
    @Inject
    RequestContext context;

    /** Under what a valid body wants to record. */
    public TenantRequest tenantRequest(TenantRef tenant, JsonNode body) {
        return new TenantRequest(
                tenant, UUID.fromString(body.get("epoch").textValue()), CallerStart.in(body), context.receivedAt());
    }

    /** When the request of a valid body began. */
    public TenantStart start(JsonNode body) {
        return new TenantStart(CallerStart.in(body), context.receivedAt());
    }

    /** What the request gives to what it records. */
    public RequestOrigin origin() {
        return new RequestOrigin(context.correlationId().value(), context.requestId(), context.traceparent());
    }

    PostedBody posted(@Nullable String key, byte[] body) {
        return new PostedBody(key, context.path(), context.caller(), body);
    }
}
