package dev.ringfence.operator;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.JsonRequests;
import dev.ringfence.api.PathIds;
import dev.ringfence.api.RequestContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.jspecify.annotations.Nullable;

/** Reads what operators ask to be done to a delivery. */
@ApplicationScoped
class DeedRequests {
    @Inject
    JsonRequests requests;

    @Inject
    RequestContext context;

    /**
     * Reads the request that is under way; its body says nothing but why.
     *
     * @throws ApiProblem what {@link JsonRequests#body} says of the body; 404 where the path can name no delivery
     */
    DeliveryDeed read(String app, String delivery, @Nullable String key, byte[] body) {
        String reason = requests.body(body, "reason").path("reason").asText();
        long id = PathIds.number(delivery);
        Deed deed = new Deed(key, context.path(), context.caller(), body);
        return new DeliveryDeed(PathIds.id(app), id, reason, deed);
    }
}
