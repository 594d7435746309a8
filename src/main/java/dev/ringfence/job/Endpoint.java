package dev.ringfence.job;

import dev.ringfence.subscription.SigningKeys;
import dev.ringfence.subscription.Subscription;
import java.util.List;

/**
 * A subscription as a request needs it.
 *
 * @param signing keys in the clear: never logged, gone with the cache
 */
record Endpoint(Subscription subscription, List<SigningKeys> signing) {

    /** Names the subscription only. */
    @Override
    public String toString() {
        return "Endpoint[" + subscription.id() + "]";
    }
}
