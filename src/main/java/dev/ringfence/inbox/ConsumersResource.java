package dev.ringfence.inbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.Cursor;
import dev.ringfence.api.JsonRequests;
import dev.ringfence.api.Page;
import dev.ringfence.api.PageLimit;
import dev.ringfence.api.RequestContext;
import dev.ringfence.api.Responses;
import dev.ringfence.security.Roles;
import dev.ringfence.signing.WebhookSecret;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /inbox-consumers}: who takes events here. They belong to the installation, so only global keys manage them. */
@Path("/inbox-consumers")
@RequestScoped
@Produces(Responses.JSON)
public class ConsumersResource {

    @Inject
    Consumers consumers;

    @Inject
    ConsumerRepository repository;

    @Inject
    JsonRequests requests;

    @Inject
    RequestContext request;

    /** Registers a consumer. */
    @POST
    @Consumes(Responses.JSON)
    @RolesAllowed(Roles.ADMIN)
    public Response register(@HeaderParam("Idempotency-Key") @Nullable String key, byte[] raw) {
        request.requireGlobalKey();
        JsonNode document = requests.body(raw, "inbox-consumer");
        checkSecret(document.get("secret").textValue());
        return consumers.register(key, raw, document).toResponse();
    }

    /** Lists the consumers by name. */
    @GET
    @RolesAllowed({Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response list(@QueryParam("cursor") @Nullable String cursor, @QueryParam("limit") @Nullable String limit) {
        request.requireGlobalKey();
        Cursor after = Cursor.parse(cursor, 1);
        int size = PageLimit.parse(limit);
        List<Consumer> rows = repository.list(after == null ? "" : after.parts().get(0), size + 1);
        return Responses.json(
                200, Page.of(rows, size, row -> Cursor.of(row.name())).map(Consumer::view));
    }

    private static void checkSecret(String secret) {
        try {
            WebhookSecret.parse(secret);
        } catch (IllegalArgumentException e) {
            throw ApiProblem.invalid("/secret", "BAD_FORMAT", String.valueOf(e.getMessage()));
        }
    }
}
