package dev.ringfence.feed;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.lifecycle.ActiveTenants;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.subscription.Mode;
import dev.ringfence.subscription.Subscription;
import dev.ringfence.subscription.SubscriptionRepository;
import dev.ringfence.subscription.SubscriptionStatus;
import dev.ringfence.time.DatabaseTime;
import dev.ringfence.time.NanoClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.function.LongFunction;

/**
 * Reads feeds (PL-1, PL-2). Reading moves no cursor: what was read and not committed is read again. A page is read under the tenant's
 * fence, and what stands on it is either shown or over.
 */
@ApplicationScoped
public class Feeds {
    private static final System.Logger LOG = System.getLogger(Feeds.class.getName());

    /** Once its envelopes have so many bytes, a page takes no further item. */
    static final long PAGE_BYTES = 4L << 20;

    /** As {@link #PAGE_BYTES}, for a request that has waited: what it gets is to find room between here and its client. */
    static final long WAITED_BYTES = 256 << 10;

    /** A page that was read longer ago is not handed out any more: its tenant may have been redacted. */
    static final Duration HAND_OVER = Duration.ofSeconds(5);

    private final FeedRepository feeds;
    private final SubscriptionRepository subscriptions;
    private final ActiveTenants tenants;
    private final Clock clock;
    private final NanoClock nanos;

    @Inject
    public Feeds(
            FeedRepository feeds,
            SubscriptionRepository subscriptions,
            ActiveTenants tenants,
            @DatabaseTime Clock clock,
            NanoClock nanos) {
        this.feeds = feeds;
        this.subscriptions = subscriptions;
        this.tenants = tenants;
        this.clock = clock;
        this.nanos = nanos;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    protected Feeds() {
        this(null, null, null, null, null);
    }

    /**
     * A page, and where it ended.
     *
     * @param at when its reading began, on the monotonic clock
     */
    record Read(FeedPage page, FeedCursor from, FeedCursor to, long at) {
        boolean empty() {
            return from.equals(to);
        }

        /** Whether it may be handed out at that time; what shows nothing always may. */
        boolean mayBeShown(long now) {
            return page.items().isEmpty() || now - at < HAND_OVER.toNanos();
        }
    }

    /**
     * Reads a page.
     *
     * @throws ApiProblem 404; 409 {@code NOT_PULL}, {@code SUBSCRIPTION_DISABLED}, {@code APP_DISABLED}, {@code TENANT_REDACTED},
     *     {@code CURSOR_STALE}; 422 {@code INVALID_CURSOR}; 503 {@code FENCE_TIMEOUT}, {@code FEEDS_NOT_ROTATED}
     */
    @Transactional
    public Read read(FeedQuery query) {
        return read(query, tenants::underFence, PAGE_BYTES);
    }

    /** As {@link #read} for a request that has waited: it waits for nobody, and its page is smaller. */
    @Transactional
    public Read readWaited(FeedQuery query) {
        return read(query, tenants::underFenceAtOnce, WAITED_BYTES);
    }

    private Read read(FeedQuery query, LongFunction<TenantLifecycle> fence, long bytes) {
        Subscription subscription = pulled(query.app(), query.subscription());
        TenantLifecycle tenant = fence.apply(subscription.tenantId());
        FeedCursor committed = feeds.stored(query.subscription()).orElseThrow(ApiProblem::notFound);
        FeedCursor after = query.after();
        if (after != null) {
            check(after, committed, query.app());
        }
        if (!tenant.appEnabled()) {
            throw ApiProblem.conflict("APP_DISABLED", "The application is disabled.");
        }
        return read(subscription, after == null ? committed : after, committed, query.limit(), bytes);
    }

    private Read read(Subscription subscription, FeedCursor from, FeedCursor committed, int limit, long bytes) {
        long at = nanos.nanos();
        List<FeedRow> rows = feeds.page(subscription.id(), from.position(), limit, bytes);
        if (rows.isEmpty()) {
            refuseForeign(from);
        }
        List<FeedItem> items = new ArrayList<>();
        List<Long> denied = new ArrayList<>();
        FeedCursor to = from;
        for (FeedRow row : rows) {
            to = from.at(row.position());
            byte[] envelope = row.bytes();
            byte[] sha256 = row.sha256();
            String name = row.eventName();
            if (name != null && !subscription.grants().allow(name)) {
                denied.add(row.position().delivery());
            } else if (envelope != null && sha256 != null) {
                items.add(item(row, to, envelope, sha256));
            }
        }
        deny(subscription.id(), denied);
        return new Read(new FeedPage(items, to.encoded(), committed.encoded()), from, to, at);
    }

    /**
     * Ends what is not granted before a cursor can pass it (SB-5): were it granted again by the time that the cursor is committed, it
     * would count as fetched. One at a time with those who commit, as both would move the same rows.
     */
    private void deny(UUID subscription, List<Long> denied) {
        if (!denied.isEmpty()) {
            feeds.lock(subscription);
            feeds.deny(denied, clock.instant());
        }
    }

    /** Whether the page may still be handed out: it was read under its tenant's fence, which nobody holds any more. */
    boolean mayBeShown(Read read) {
        return read.mayBeShown(nanos.nanos());
    }

    private static FeedItem item(FeedRow row, FeedCursor place, byte[] bytes, byte[] sha256) {
        return new FeedItem(
                Long.toString(row.position().delivery()),
                row.eventId(),
                row.ordinal(),
                row.cycle(),
                row.test() ? Boolean.TRUE : null,
                place.encoded(),
                HexFormat.of().formatHex(sha256),
                new String(bytes, StandardCharsets.UTF_8));
    }

    /**
     * The application's subscription, where its reader may fetch and commit.
     *
     * @throws ApiProblem 404; 409 {@code NOT_PULL}, {@code SUBSCRIPTION_DISABLED}
     */
    Subscription pulled(UUID app, UUID id) {
        Subscription subscription = subscriptions.find(app, id).orElseThrow(ApiProblem::notFound);
        if (subscription.destination().mode() != Mode.PULL) {
            throw ApiProblem.conflict("NOT_PULL", "Only a subscription of mode PULL has a feed.");
        }
        if (subscription.status() == SubscriptionStatus.DISABLED) {
            throw ApiProblem.conflict("SUBSCRIPTION_DISABLED", "The subscription is disabled; resume makes it active.");
        }
        return subscription;
    }

    /**
     * Lets a cursor pass that this feed gave out in its present generation.
     *
     * @throws ApiProblem 409 {@code CURSOR_STALE}; 422 {@code INVALID_CURSOR}
     */
    void check(FeedCursor cursor, FeedCursor stored, UUID app) {
        boolean others = !cursor.subscription().equals(stored.subscription());
        if (others && subscriptions.find(app, cursor.subscription()).isPresent()) {
            throw ApiProblem.unprocessable("INVALID_CURSOR", "This cursor belongs to another feed.");
        }
        if (others || !cursor.generation().equals(stored.generation())) {
            throw stale();
        }
    }

    /** Nothing to read is also what a feed shows whose places another cluster counted; that must not look like rest. */
    private void refuseForeign(FeedCursor from) {
        if (!feeds.given(from.position())) {
            throw stale();
        }
        if (feeds.foreign(from.subscription())) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "feed {0} waits for transactions that this database never had: it was restored without"
                            + " ringfence.rotate_feeds()",
                    from.subscription());
            throw ApiProblem.unavailable(
                    "FEEDS_NOT_ROTATED", "The database was restored and its feeds not rotated. An operator has to.");
        }
    }

    private static ApiProblem stale() {
        return ApiProblem.conflict(
                "CURSOR_STALE",
                "This cursor is of before a restore or a redaction. Read on without one, and expect events again.");
    }
}
