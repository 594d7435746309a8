package dev.ringfence.feed;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.subscription.Mode;
import dev.ringfence.subscription.Subscription;
import dev.ringfence.subscription.SubscriptionRepository;
import dev.ringfence.subscription.SubscriptionStatus;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

/** Reads feeds (PL-1, PL-2). Reading changes nothing: what was read and not committed is read again. */
@ApplicationScoped
public class Feeds {
    private static final System.Logger LOG = System.getLogger(Feeds.class.getName());

    /** Once its envelopes have so many bytes, a page takes no further item. */
    static final long PAGE_BYTES = 4L << 20;

    private final FeedRepository feeds;
    private final SubscriptionRepository subscriptions;
    private final LifecycleRepository lifecycles;

    @Inject
    public Feeds(FeedRepository feeds, SubscriptionRepository subscriptions, LifecycleRepository lifecycles) {
        this.feeds = feeds;
        this.subscriptions = subscriptions;
        this.lifecycles = lifecycles;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    protected Feeds() {
        this(null, null, null);
    }

    /** A page, and where it ended. */
    record Read(FeedPage page, FeedCursor from, FeedCursor to) {
        boolean empty() {
            return from.equals(to);
        }
    }

    /**
     * Reads a page.
     *
     * @throws ApiProblem 404; 409 {@code NOT_PULL}, {@code SUBSCRIPTION_DISABLED}, {@code APP_DISABLED}, {@code TENANT_REDACTED},
     *     {@code CURSOR_STALE}; 422 {@code INVALID_CURSOR}; 503 {@code FEEDS_NOT_ROTATED}
     */
    Read read(FeedQuery query) {
        Subscription subscription = pulled(query.app(), query.subscription());
        TenantLifecycle tenant = lifecycles.find(subscription.tenantId()).orElseThrow(ApiProblem::notFound);
        FeedCursor committed = feeds.stored(query.subscription()).orElseThrow(ApiProblem::notFound);
        FeedCursor after = query.after();
        if (after != null) {
            check(after, committed, query.app());
        }
        if (!tenant.active()) {
            throw ApiProblem.conflict("TENANT_REDACTED", "The tenant was redacted.");
        }
        if (!tenant.appEnabled()) {
            throw ApiProblem.conflict("APP_DISABLED", "The application is disabled.");
        }
        return read(subscription, after == null ? committed : after, committed, query.limit());
    }

    private Read read(Subscription subscription, FeedCursor from, FeedCursor committed, int limit) {
        List<FeedRow> rows = feeds.page(subscription.id(), from.position(), limit, PAGE_BYTES);
        if (rows.isEmpty()) {
            refuseForeign(from);
        }
        List<FeedItem> items = new ArrayList<>();
        FeedCursor to = from;
        for (FeedRow row : rows) {
            to = from.at(row.position());
            byte[] bytes = row.bytes();
            byte[] sha256 = row.sha256();
            String name = row.eventName();
            boolean granted = name == null || subscription.grants().allow(name);
            if (granted && bytes != null && sha256 != null) {
                items.add(item(row, to, bytes, sha256));
            }
        }
        return new Read(new FeedPage(items, to.encoded(), committed.encoded()), from, to);
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
