package dev.ringfence.job;

import dev.ringfence.subscription.RequestSecrets;
import dev.ringfence.subscription.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as a request needs it.
 *
 * @param secrets in the clear: never logged, gone with the cache; null where one of them cannot be read, then nothing may be sent
 */
record Endpoint(Subscription subscription, @Nullable RequestSecrets secrets) {

    boolean readable() {
        return secrets != null;
    }

    /** Names the subscription only. */
    @Override
    public String toString() {
        return "Endpoint[" + subscription.id() + "]";
    }
}
