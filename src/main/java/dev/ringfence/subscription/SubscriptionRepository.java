package dev.ringfence.subscription;

import dev.ringfence.api.TimeCursor;
import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Subscriptions as those see them who look one up or list them. */
@ApplicationScoped
public class SubscriptionRepository extends SubscriptionRowRepository {

    @Inject
    public SubscriptionRepository(DataSources sources) {
        super(sources);
    }

    /** For the container's proxy. */
    protected SubscriptionRepository() {
        this(new DataSources());
    }

    /** The subscription, if it is this application's. */
    public Optional<Subscription> find(UUID appId, UUID id) {
        return select("where app_id = ? and id = ?", appId, id).stream().findFirst();
    }

    /** The subscriptions of a tenant in the order of their creation, after the given place. */
    List<Subscription> page(long tenantId, @Nullable TimeCursor after, int limit) {
        return select(
                "where tenant_id = ? and (created_at, id) > (?, ?) order by created_at, id limit ?",
                tenantId,
                (after == null ? Instant.EPOCH : after.at()).atOffset(ZoneOffset.UTC),
                after == null ? new UUID(0, 0) : after.uuid(),
                limit);
    }
}
