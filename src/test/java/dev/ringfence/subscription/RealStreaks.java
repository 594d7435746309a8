package dev.ringfence.subscription;

import dev.ringfence.api.CorrelationIds;
import dev.ringfence.audit.Audit;
import dev.ringfence.audit.AuditRepository;
import dev.ringfence.config.DataSources;
import dev.ringfence.config.Settings;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.outbox.OrdinalsRepository;
import dev.ringfence.outbox.OutboxRepository;
import dev.ringfence.security.Macs;
import dev.ringfence.time.ClockProducer;
import java.lang.reflect.Field;
import java.util.Base64;
import java.util.Map;

/** What counts dead deliveries, put together by hand: everything is real but the container. */
public final class RealStreaks {

    private RealStreaks() {}

    /** A counter in the transactions of these data sources. */
    public static DeadStreaks over(DataSources sources) {
        return over(sources, new CircuitCounters());
    }

    /** As {@link #over(DataSources)}, counting there how circuits move. */
    public static DeadStreaks over(DataSources sources, CircuitCounters circuits) {
        Settings settings = Settings.from(
                Map.of("ringfence.secrets.key", Base64.getEncoder().encodeToString(new byte[32])));
        DisabledNotices notices = new DisabledNotices(
                lifecycles(sources),
                new OrdinalsRepository(sources),
                new OutboxRepository(sources),
                new CorrelationIds(new Macs(settings)),
                new Audit(new AuditRepository(sources), ClockProducer.utcMicros()));
        return new DeadStreaks(new DeadStreakRepository(sources, circuits), notices);
    }

    /** The lifecycle rows of these data sources. */
    public static LifecycleRepository lifecycles(DataSources sources) {
        try {
            LifecycleRepository repository = new LifecycleRepository();
            Field field = LifecycleRepository.class.getDeclaredField("dataSources");
            field.setAccessible(true);
            field.set(repository, sources);
            return repository;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
