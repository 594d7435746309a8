package dev.ringfence.subscription;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The subscriptions that events go to, each time for a whole batch: what fan-out and delivery read. */
@ApplicationScoped
public class RecipientRepository extends SubscriptionRowRepository {

    @Inject
    public RecipientRepository(DataSources sources) {
        super(sources);
    }

    /** For the container's proxy. */
    protected RecipientRepository() {
        this(new DataSources());
    }

    /**
     * The subscriptions of the tenants that may still take an event of one of these types, in one round trip, each tenant's in the order of their
     * creation: one that is paused or disabled takes what was recorded before. Those that keep an order come whatever types they take.
     */
    public Map<Long, List<Subscription>> takingOf(Collection<Long> tenantIds, Collection<String> eventNames) {
        Map<Long, List<Subscription>> byTenant = new HashMap<>();
        if (tenantIds.isEmpty()) {
            return byTenant;
        }
        List<String> patterns = eventNames.stream()
                .flatMap(name -> TypePattern.matching(name).stream())
                .distinct()
                .toList();
        String taking = """
                where tenant_id = any(?) and (status = 'ACTIVE' or closings <> '{}')
                  and (event_types = '{}' or event_types && ? or ordering <> 'NONE') order by created_at, id""";
        for (Subscription one : select(taking, new Values("bigint", tenantIds), new Values("text", patterns))) {
            byTenant.computeIfAbsent(one.tenantId(), tenant -> new ArrayList<>())
                    .add(one);
        }
        return byTenant;
    }

    /** The subscriptions with these ids, in whatever status; an id without an entry is gone. */
    public Map<UUID, Subscription> byIds(Collection<UUID> ids) {
        Map<UUID, Subscription> byId = new HashMap<>();
        if (!ids.isEmpty()) {
            select("where id = any(?)", new Values("uuid", ids)).forEach(one -> byId.put(one.id(), one));
        }
        return byId;
    }
}
