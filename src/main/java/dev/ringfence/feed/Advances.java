package dev.ringfence.feed;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.Cursor;
import dev.ringfence.lifecycle.ActiveTenants;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.subscription.Grants;
import dev.ringfence.subscription.Subscription;
import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Moves cursors (PL-1): a compare-and-swap on the stored one, and the deliveries that it covers, in one transaction under the tenant's
 * fence.
 */
@ApplicationScoped
public class Advances {

    /** Most deliveries that one call covers, so that its transaction stays short. */
    static final int MOST_COVERED = 10_000;

    private final Feeds feeds;
    private final FeedRepository rows;
    private final ActiveTenants tenants;
    private final Clock clock;

    @Inject
    public Advances(Feeds feeds, FeedRepository rows, ActiveTenants tenants, @DatabaseTime Clock clock) {
        this.feeds = feeds;
        this.rows = rows;
        this.tenants = tenants;
        this.clock = clock;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    protected Advances() {
        this(null, null, null, null);
    }

    /**
     * Moves the cursor.
     *
     * @param from what the caller takes for the stored place
     * @throws ApiProblem 404; 409 {@code NOT_PULL}, {@code SUBSCRIPTION_DISABLED}, {@code APP_DISABLED}, {@code TENANT_REDACTED},
     *     {@code CURSOR_STALE}; 422 {@code INVALID}, {@code INVALID_CURSOR}, {@code CURSOR_TOO_FAR}; 503 {@code FENCE_TIMEOUT}
     */
    @Transactional
    public Advance advance(UUID app, UUID id, FeedCursor from, FeedCursor to) {
        Subscription subscription = feeds.pulled(app, id);
        TenantLifecycle tenant = tenants.underFence(subscription.tenantId());
        if (!tenant.appEnabled()) {
            throw ApiProblem.conflict("APP_DISABLED", "The application is disabled.");
        }
        FeedCursor stored = rows.lock(id).orElseThrow(ApiProblem::notFound);
        feeds.check(to, stored, app);
        feeds.check(from, stored, app);
        if (to.position().compareTo(from.position()) < 0) {
            throw ApiProblem.invalid("/to", "BEFORE_FROM", "A cursor only moves forward.");
        }
        if (!stored.position().equals(from.position())) {
            return new Advance.Beaten(stored);
        }
        // Beyond what can have been read a cursor would cover what nobody has seen yet.
        if (!rows.given(to.position())) {
            throw Cursor.invalid();
        }
        return new Advance.Moved(to.encoded(), cover(subscription, to.position()));
    }

    private int cover(Subscription subscription, FeedPosition to) {
        List<Covered> covered = rows.covered(subscription.id(), to, MOST_COVERED + 1);
        if (covered.size() > MOST_COVERED) {
            throw ApiProblem.unprocessable(
                    "CURSOR_TOO_FAR",
                    "More than " + MOST_COVERED + " deliveries lie between. Move the cursor in smaller steps.");
        }
        Instant now = clock.instant();
        List<Long> fetched = new ArrayList<>();
        List<Long> denied = new ArrayList<>();
        for (Covered one : covered) {
            (granted(subscription.grants(), one) ? fetched : denied).add(one.delivery());
        }
        if (!denied.isEmpty()) {
            rows.deny(denied, now);
        }
        rows.move(subscription.id(), to, now);
        return fetched.isEmpty() ? 0 : rows.deliver(fetched, now);
    }

    private static boolean granted(Grants grants, Covered one) {
        return one.eventName() == null || grants.allow(one.eventName());
    }
}
