package dev.ringfence.fanout;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.subscription.EnvelopeTemplate;
import dev.ringfence.subscription.Subscription;
import org.jspecify.annotations.Nullable;

/** Renders the bodies of a plan from templates (SB-1), and minds how much memory they take. */
final class Bodies {

    /** Bytes after which a plan takes no further event. */
    private static final long FULL = 16 << 20;

    /** Most bytes of all bodies of one event, which must be written by one transaction: some hundred ordinary subscriptions. */
    private static final long MOST_OF_ONE_EVENT = 64 << 20;

    private long bytes;
    private long ofEvent;

    void nextEvent() {
        ofEvent = 0;
    }

    boolean full() {
        return bytes >= FULL;
    }

    /** The body; null where there is no room for it. */
    byte @Nullable [] render(
            EnvelopeTemplate template, JsonNode envelope, Subscription subscription, @Nullable TenantLifecycle tenant) {
        if (ofEvent >= MOST_OF_ONE_EVENT) {
            return null;
        }
        byte[] body = template.render(envelope, subscription, tenant == null ? null : tenant.tenant())
                .orElse(null);
        if (body == null) {
            // It was made until it was too large: that costs as much as the largest, and others wait for it.
            bytes += EnvelopeTemplate.MAX_BODY;
        } else {
            bytes += body.length;
            ofEvent += body.length;
        }
        return body;
    }
}
