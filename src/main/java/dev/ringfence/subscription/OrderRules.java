package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.FieldError;
import java.util.List;

/**
 * The order that a subscription asks for (OB-5).
 *
 * @param onDead says something only with {@link Ordering#KEY}
 */
public record OrderRules(Ordering ordering, OnDead onDead) {

    /** No order. */
    public static final OrderRules NONE = new OrderRules(Ordering.NONE, OnDead.CONTINUE);

    /** Whether deliveries are held until their turn. */
    public boolean byKey() {
        return ordering == Ordering.KEY;
    }

    /** Reads the options; one that would be ignored is refused. */
    static OrderRules read(JsonNode request, List<FieldError> errors) {
        OrderRules rules = new OrderRules(
                Ordering.valueOf(request.path("ordering").asText(Ordering.NONE.name())),
                OnDead.valueOf(request.path("onDead").asText(OnDead.CONTINUE.name())));
        if (PullOptions.isPull(request)) {
            return NONE;
        }
        if (rules.onDead() == OnDead.BLOCK && !rules.byKey()) {
            errors.add(new FieldError(
                    "/onDead", "NOT_APPLICABLE", "Without ordering KEY nothing waits, so nothing can be blocked."));
        }
        return rules;
    }
}
