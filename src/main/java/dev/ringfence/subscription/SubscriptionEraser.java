package dev.ringfence.subscription;

import dev.ringfence.erasure.ErasureRepository;
import dev.ringfence.erasure.TableEraser;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;

/** Erases a tenant's subscriptions with their secrets. */
@Dependent
public class SubscriptionEraser extends TableEraser {

    @Inject
    SubscriptionEraser(ErasureRepository rows) {
        super(rows, "subscriptions", 80);
    }
}
