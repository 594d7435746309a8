package dev.ringfence.inbox;

import dev.ringfence.api.RequestContext;
import dev.ringfence.api.Responses;
import jakarta.annotation.security.PermitAll;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code /inbox/{consumer}}: signed events in (IN-1). Open to everybody who can sign. */
@Path("/inbox/{consumer}")
@RequestScoped
@Produces(Responses.JSON)
public class InboxResource {

    @Inject
    Inbox inbox;

    @Inject
    InboxReader reader;

    @Inject
    InboxSignature signature;

    @Inject
    RequestContext request;

    /** Takes one event or up to 50, and acknowledges them (HT-2). */
    @POST
    @Consumes(Responses.JSON)
    @PermitAll
    public Response accept(@PathParam("consumer") String consumer, @Context HttpHeaders headers, byte[] raw) {
        signature.check(consumer, first(headers), raw);
        List<InboxEvent> events = reader.read(consumer, raw);
        return Responses.json(200, inbox.accept(consumer, events, request.receivedAt()));
    }

    private static Map<String, String> first(HttpHeaders headers) {
        Map<String, String> first = new HashMap<>();
        headers.getRequestHeaders().forEach((name, values) -> first.put(name, values.get(0)));
        return first;
    }
}
