package dev.ringfence.health;

import dev.ringfence.fence.SessionKind;
import dev.ringfence.fence.SessionProbe;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Ready only where a session lock belongs to the connection that took it (FN-8). */
@Readiness
@ApplicationScoped
public class FenceReady implements HealthCheck {
    private final SessionProbe probe;

    @Inject
    public FenceReady(SessionProbe probe) {
        this.probe = probe;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    FenceReady() {
        this(null);
    }

    @Override
    public HealthCheckResponse call() {
        SessionKind kind = probe.look();
        return HealthCheckResponse.named("ringfence-fence")
                .withData("sessions", kind.name())
                .status(kind.holdsFences())
                .build();
    }
}
