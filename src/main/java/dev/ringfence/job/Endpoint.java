package dev.ringfence.job;

import dev.ringfence.subscription.RequestSecrets;
import dev.ringfence.subscription.Subscription;

/**
 * A subscription as a request needs it.
 *
 * @param secrets in the clear: never logged, gone with the cache
 */
record Endpoint(Subscription subscription, RequestSecrets secrets) {

    /** Names the subscription only. */
    @Override
    public String toString() {
        return "Endpoint[" + subscription.id() + "]";
    }
}
