package dev.ringfence.reservation;

import dev.ringfence.fence.SharedFence;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantLifecycle;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Collection;
import java.util.Map;

/** The look at the tenants' rows between reservation and HTTP (FN-4). */
@ApplicationScoped
public class RecheckRepository {
    private final LifecycleRepository lifecycles;

    @Inject
    public RecheckRepository(LifecycleRepository lifecycles) {
        this.lifecycles = lifecycles;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    RecheckRepository() {
        this(null);
    }

    /**
     * The rows as they are now, read on the fence's own connection: an answer also proves that the fence is alive.
     *
     * @throws dev.ringfence.fence.FenceLost when its session is gone
     */
    public Map<Long, TenantLifecycle> reread(SharedFence fence, Collection<Long> tenantIds) {
        return fence.onConnection(connection -> lifecycles.readOn(connection, tenantIds));
    }
}
