package dev.ringfence.lifecycle;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.time.Instants;
import dev.ringfence.time.SkewMonitor;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;

/**
 * Works out how old a request may be (LC-5): every error is taken at its worst, so that nobody can make a request look younger
 * than the server saw it. Fails closed while the clocks are not known to agree (LC-6).
 */
@ApplicationScoped
public class RequestStarts {

    /** Problem code of everything that the clocks keep us from answering. */
    public static final String CLOCK = "CLOCK_BOUND_UNAVAILABLE";

    private SkewMonitor skew;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway.Init")
    protected RequestStarts() {}

    @Inject
    public RequestStarts(SkewMonitor skew) {
        this.skew = skew;
    }

    /**
     * The effective start: the earlier of (server capture − measured bound) and (caller's time − its bound).
     *
     * @param serverCapture when the request came in, before authentication (LC-3)
     * @param appMinimum the least bound that this application's own times must carry
     * @throws ApiProblem 422 {@code INVALID} for half a pair or a bound below the minimum; 503 {@link #CLOCK} for a caller's time
     *     after the server's capture, and while the measured bound cannot be relied on
     */
    public EffectiveStart effective(Instant serverCapture, CallerStart caller, Duration appMinimum) {
        Instant byCaller = callersTime(serverCapture, caller, appMinimum);
        Instant byServer = serverCapture.minus(measuredBound());
        return new EffectiveStart(Instants.micros(byCaller.isBefore(byServer) ? byCaller : byServer));
    }

    /**
     * When the caller's session may have begun, by the same rule (LC-4): its time less the largest of the bounds.
     *
     * @throws ApiProblem as {@link #effective}
     */
    public EffectiveStart session(
            Instant serverCapture, Instant authenticatedAt, CallerStart caller, Duration appMinimum) {
        refuseFuture(serverCapture, authenticatedAt);
        Duration bound = longer(measuredBound(), appMinimum);
        Duration callers = caller.bound();
        return new EffectiveStart(
                Instants.micros(authenticatedAt.minus(callers == null ? bound : longer(bound, callers))));
    }

    private static Instant callersTime(Instant serverCapture, CallerStart caller, Duration appMinimum) {
        Instant at = caller.at();
        Duration bound = caller.bound();
        if (at == null && bound == null) {
            return serverCapture;
        }
        caller.refuseHalf();
        if (at == null || bound == null) {
            throw new IllegalStateException("half a pair is refused");
        }
        if (bound.compareTo(appMinimum) < 0) {
            throw ApiProblem.invalid(
                    "/skewBoundMs", "OUT_OF_RANGE", "At least " + appMinimum.toMillis() + " for this application.");
        }
        refuseFuture(serverCapture, at);
        return at.minus(bound);
    }

    private static void refuseFuture(Instant serverCapture, Instant callers) {
        if (callers.isAfter(serverCapture)) {
            throw ApiProblem.unavailable(CLOCK, "The caller's time lies after the arrival of the request.");
        }
    }

    private Duration measuredBound() {
        return skew.current()
                .usableBound()
                .orElseThrow(() -> ApiProblem.unavailable(
                        CLOCK, "How far this server's clock is from the database's is not known well enough."));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }
}
