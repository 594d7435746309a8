package dev.ringfence.job;

import dev.ringfence.config.Settings;
import dev.ringfence.fence.FenceLost;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.receipt.Attempted;
import dev.ringfence.receipt.Outcomes;
import dev.ringfence.receipt.ReceiptDesk;
import dev.ringfence.receipt.Settlement;
import dev.ringfence.reservation.RecheckRepository;
import dev.ringfence.reservation.ReservationOrder;
import dev.ringfence.reservation.Reservations;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.reservation.Wanted;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.time.DatabaseTime;
import dev.ringfence.time.NanoClock;
import dev.ringfence.transport.HttpTransport;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.SendResult;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Under the fence: reservation, committed; the tenants read again; then the requests (FN-4, FN-7). The send-by deadline begins before
 * the reservation's statement does, so no first byte leaves later than the ledger says (AT-1, RD-5).
 */
@ApplicationScoped
public class Takeoff {
    private static final Logger LOG = System.getLogger(Takeoff.class.getName());

    /** Time between reservation and first byte, of which a healthy node needs milliseconds. */
    private static final Duration SEND_WINDOW = Duration.ofSeconds(3);

    /** HT-1's longest deadline, and what AT-3 wants left beside a request's own. */
    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration MARGIN = Duration.ofMillis(500);

    /** An attempt that may be sent. */
    private record Cleared(Attempted attempted, Endpoint endpoint) {}

    private final Reservations reservations;
    private final RecheckRepository recheck;
    private final ReceiptDesk desk;
    private final HttpTransport transport;
    private final CancelledTenants cancelled;
    private final Settings settings;
    private final Clock clock;
    private final NanoClock nanos;

    @Inject
    public Takeoff(
            Reservations reservations,
            RecheckRepository recheck,
            ReceiptDesk desk,
            HttpTransport transport,
            CancelledTenants cancelled,
            Settings settings,
            @DatabaseTime Clock clock,
            NanoClock nanos) {
        this.reservations = reservations;
        this.recheck = recheck;
        this.desk = desk;
        this.transport = transport;
        this.cancelled = cancelled;
        this.settings = settings;
        this.clock = clock;
        this.nanos = nanos;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Takeoff() {
        this(null, null, null, null, null, null, null, null);
    }

    /** How long a flight may need its fence. */
    Duration hold() {
        return SEND_WINDOW.plus(LONGEST_TIMEOUT).plus(MARGIN.multipliedBy(4));
    }

    /** Reserves, looks again, and sends; whatever owes an answer afterwards is open on the flight. */
    void takeOff(Flight flight, List<Candidate> fenced, Map<UUID, Endpoint> known) {
        List<Candidate> candidates = fenced.stream()
                .filter(candidate -> !cancelled.refuses(candidate.tenantId()))
                .toList();
        if (candidates.isEmpty()) {
            return;
        }
        Instant now = clock.instant();
        long sendBy = nanos.nanos() + SEND_WINDOW.toNanos();
        List<Reserved> reserved = reservations.reserve(order(candidates, known, now));
        if (reserved.isEmpty()) {
            return;
        }
        List<Cleared> cleared;
        try {
            cleared = clear(flight, reserved, known);
        } catch (RuntimeException e) {
            String why = e instanceof FenceLost ? "fence lost" : e.toString();
            LOG.log(Level.WARNING, "delivery: {0} reservations go back before HTTP: {1}", reserved.size(), why);
            release(reserved);
            return;
        }
        Instant departure = clock.instant();
        // All are expected before the first can answer: the flight counts on one thread at a time.
        cleared.forEach(one -> flight.expect(one.attempted()));
        cleared.forEach(one -> dispatch(flight, one, departure, sendBy));
    }

    private ReservationOrder order(List<Candidate> candidates, Map<UUID, Endpoint> known, Instant now) {
        List<Wanted> wanted = new ArrayList<>(candidates.size());
        for (Candidate candidate : candidates) {
            var subscription = Objects.requireNonNull(known.get(candidate.subscriptionId()))
                    .subscription();
            RetryPolicy retry = subscription.rules().retry();
            wanted.add(new Wanted(
                    candidate.id(),
                    Math.min(settings.maxAttempts(), retry.attempts()),
                    retry.waitAfter(candidate.cycleAttempts() + 1, chance()),
                    subscription.destination().timeout()));
        }
        return new ReservationOrder(
                settings.node(), now, settings.maxAge(), SEND_WINDOW, settings.reconcileGrace(), wanted);
    }

    /** The second look; what it forbids is cancelled and what has no time left goes back, the rest may be sent. */
    private List<Cleared> clear(Flight flight, List<Reserved> reserved, Map<UUID, Endpoint> known) {
        Map<Long, TenantLifecycle> tenants = recheck.reread(
                flight.fence(),
                reserved.stream().map(Reserved::tenantId).distinct().toList());
        List<Settlement> cancelled = new ArrayList<>();
        List<Reserved> unstarted = new ArrayList<>();
        List<Cleared> cleared = new ArrayList<>();
        Duration left = flight.fence().remaining();
        for (Reserved one : reserved) {
            Endpoint endpoint = Objects.requireNonNull(known.get(one.subscriptionId()));
            Attempted attempted = attempted(one, endpoint);
            OutcomeCode forbidden = forbidden(one, tenants.get(one.tenantId()));
            if (forbidden != null) {
                cancelled.add(Outcomes.cancelled(attempted, forbidden));
            } else if (tooShort(left, endpoint)) {
                unstarted.add(one);
            } else {
                cleared.add(new Cleared(attempted, endpoint));
            }
        }
        if (!cancelled.isEmpty()) {
            desk.hand(cancelled, clock.instant());
        }
        if (!unstarted.isEmpty()) {
            release(unstarted);
        }
        return cleared;
    }

    /** AT-3. Failing harms nobody else: what cannot go back stays spent until it is reconciled, and the others depart. */
    private void release(List<Reserved> unstarted) {
        try {
            reservations.release(unstarted, clock.instant());
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "delivery: {0} reservations could not go back and stay spent: {1}",
                    unstarted.size(),
                    e.toString());
        }
    }

    private void dispatch(Flight flight, Cleared cleared, Instant now, long sendBy) {
        Attempted attempted = cleared.attempted();
        try {
            var request = Requests.of(attempted.reserved(), cleared.endpoint(), now, sendBy);
            if (request.isEmpty()) {
                flight.answered(attempted, new SendResult.Failed(OutcomeCode.MALFORMED_PAYLOAD, null));
                return;
            }
            CompletableFuture<SendResult> sent = transport.send(request.get());
            var unused = sent.thenAccept(result -> flight.answered(attempted, result));
            cancelled.sent(attempted.reserved().tenantId(), sent);
        } catch (RuntimeException | Error unknown) {
            // Whether a byte left is not known here, so the attempt is spent; the others must depart all the same.
            LOG.log(Level.ERROR, "delivery: transport failed for " + attempted.reserved(), unknown);
            flight.answered(attempted, new SendResult.Uncertain(OutcomeCode.CONNECTION_BROKEN, null, null));
        }
    }

    /** What the second look forbids: redacted meanwhile, another epoch, a boundary past the event's request, a disabled app. */
    static @Nullable OutcomeCode forbidden(Reserved reserved, @Nullable TenantLifecycle tenant) {
        if (tenant == null || !tenant.active() || !tenant.epoch().equals(reserved.epoch())) {
            return OutcomeCode.REDACTED;
        }
        Instant boundary = tenant.lastRedactedAt();
        if (boundary != null && !reserved.requestStartedAt().isAfter(boundary)) {
            return OutcomeCode.REDACTED;
        }
        return tenant.appEnabled() ? null : OutcomeCode.APP_DISABLED;
    }

    private static boolean tooShort(Duration left, Endpoint endpoint) {
        Duration needed = endpoint.subscription().destination().timeout().plus(MARGIN);
        return left.compareTo(needed) < 0;
    }

    private Attempted attempted(Reserved reserved, Endpoint endpoint) {
        var rules = endpoint.subscription().rules();
        int most = reserved.test()
                ? 1
                : Math.min(settings.maxAttempts(), rules.retry().attempts());
        return new Attempted(
                reserved, rules.retry(), rules.retryStatuses(), rules.semantics(), most, settings.maxAge());
    }

    private static double chance() {
        return ThreadLocalRandom.current().nextDouble();
    }
}
