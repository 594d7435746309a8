package dev.ringfence.health;

import dev.ringfence.time.Skew;
import dev.ringfence.time.SkewMonitor;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Ready only where enrolment and recording would pass: the distance of the clocks is measured and small enough (LC-6). */
@Readiness
@ApplicationScoped
public class ClockReady implements HealthCheck {
    private final SkewMonitor monitor;

    @Inject
    public ClockReady(SkewMonitor monitor) {
        this.monitor = monitor;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    ClockReady() {
        this(null);
    }

    @Override
    public HealthCheckResponse call() {
        Skew skew = monitor.current();
        return HealthCheckResponse.named("ringfence-clock")
                .withData("status", skew.status().name())
                .withData("boundMicros", skew.bound().toNanos() / 1_000)
                .status(skew.status() == Skew.Status.MEASURED)
                .build();
    }
}
