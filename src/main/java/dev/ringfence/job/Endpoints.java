package dev.ringfence.job;

import dev.ringfence.subscription.RecipientRepository;
import dev.ringfence.subscription.RequestSecrets;
import dev.ringfence.subscription.Subscription;
import dev.ringfence.subscription.SubscriptionSecrets;
import dev.ringfence.time.NanoClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Subscriptions with their keys, kept for a moment so that not every batch reads them again. A changed version is read at once; what
 * has no version of its own, such as a secret that ends, is seen within that moment. Whether a subscription is active is decided by
 * the reservation, not here.
 */
@ApplicationScoped
public class Endpoints {
    private static final long MOMENT = Duration.ofSeconds(1).toNanos();
    private static final int MOST = 5_000;

    private final RecipientRepository subscriptions;
    private final SubscriptionSecrets secrets;
    private final NanoClock nanos;
    private final Map<UUID, Known> known = new ConcurrentHashMap<>();

    private record Known(Endpoint endpoint, long version, long until) {}

    @Inject
    public Endpoints(RecipientRepository subscriptions, SubscriptionSecrets secrets, NanoClock nanos) {
        this.subscriptions = subscriptions;
        this.secrets = secrets;
        this.nanos = nanos;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Endpoints() {
        this(null, null, null);
    }

    /** The endpoints of the candidates; one without an entry is gone. Reads outside any transaction. */
    @Transactional(Transactional.TxType.NOT_SUPPORTED)
    public Map<UUID, Endpoint> of(Collection<Candidate> candidates) {
        long now = forget();
        Map<UUID, Endpoint> found = new HashMap<>();
        Map<UUID, Long> missing = new HashMap<>();
        for (Candidate candidate : candidates) {
            Long version = candidate.subscriptionVersion();
            if (version != null && !found.containsKey(candidate.subscriptionId())) {
                Known one = known.get(candidate.subscriptionId());
                if (one != null && one.version() == version) {
                    found.put(candidate.subscriptionId(), one.endpoint());
                } else {
                    missing.put(candidate.subscriptionId(), version);
                }
            }
        }
        if (!missing.isEmpty()) {
            found.putAll(read(missing, now));
        }
        return found;
    }

    /** Lets go of what is not served any more, with its opened secrets: its subscription may be gone. Returns the time. */
    public long forget() {
        long now = nanos.nanos();
        known.values().removeIf(one -> one.until() - now <= 0);
        return now;
    }

    /** Subscriptions that are kept. */
    int remembered() {
        return known.size();
    }

    private Map<UUID, Endpoint> read(Map<UUID, Long> missing, long now) {
        if (known.size() > MOST) {
            known.clear();
        }
        Map<UUID, Subscription> rows = subscriptions.byIds(missing.keySet());
        Map<UUID, RequestSecrets> opened = secrets.open(rows.values());
        Map<UUID, Endpoint> read = new HashMap<>();
        rows.forEach((id, subscription) -> {
            Endpoint endpoint = new Endpoint(subscription, opened.get(id));
            read.put(id, endpoint);
            known.put(id, new Known(endpoint, missing.getOrDefault(id, 0L), now + MOMENT));
        });
        return read;
    }
}
