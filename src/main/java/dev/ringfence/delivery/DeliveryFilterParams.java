package dev.ringfence.delivery;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.Cursor;
import dev.ringfence.api.PageLimit;
import dev.ringfence.api.PathIds;
import dev.ringfence.time.Instants;
import jakarta.ws.rs.QueryParam;
import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The query parameters of a delivery search, as they came. */
public class DeliveryFilterParams {
    @QueryParam("tenant")
    @Nullable
    String tenant;

    @QueryParam("subscription")
    @Nullable
    String subscription;

    @QueryParam("state")
    @Nullable
    String state;

    @QueryParam("eventId")
    @Nullable
    String eventId;

    @QueryParam("from")
    @Nullable
    String from;

    @QueryParam("to")
    @Nullable
    String to;

    @QueryParam("cursor")
    @Nullable
    String cursor;

    @QueryParam("limit")
    @Nullable
    String limit;

    /**
     * The search.
     *
     * @throws ApiProblem 422 for a parameter that cannot be read, 404 for a subscription that cannot be
     */
    DeliveryQuery query(UUID appId, @Nullable Long tenantId) {
        Cursor after = Cursor.parse(cursor, 1);
        return new DeliveryQuery(
                appId,
                null,
                tenantId,
                subscription == null ? null : PathIds.id(subscription),
                state(),
                eventId,
                instant("/from", from),
                instant("/to", to),
                after == null ? null : after.number(0),
                PageLimit.parse(limit));
    }

    private @Nullable DeliveryState state() {
        if (state == null) {
            return null;
        }
        return Arrays.stream(DeliveryState.values())
                .filter(known -> known.text().equals(state))
                .findFirst()
                .orElseThrow(() -> ApiProblem.invalid("/state", "NOT_ALLOWED", "no such state of a delivery"));
    }

    private static @Nullable Instant instant(String pointer, @Nullable String text) {
        if (text == null) {
            return null;
        }
        return Instants.parse(text)
                .orElseThrow(() ->
                        ApiProblem.invalid(pointer, "BAD_FORMAT", "an RFC 3339 date-time with offset is required"));
    }
}
