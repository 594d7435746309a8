package dev.ringfence.health;

import dev.ringfence.schema.SchemaMigration;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Ready only where a committed reservation stays committed: the database answers, is writable, syncs its log to disk, and has the
 * current schema (AT-1).
 */
@Readiness
@ApplicationScoped
public class DatabaseReady implements HealthCheck {
    private final DurabilityRepository durability;
    private final SchemaMigration schema;

    @Inject
    public DatabaseReady(DurabilityRepository durability, SchemaMigration schema) {
        this.durability = durability;
        this.schema = schema;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    DatabaseReady() {
        this(null, null);
    }

    @Override
    public HealthCheckResponse call() {
        return judge(durability.read(), schema.current());
    }

    static HealthCheckResponse judge(Durability durability, boolean schemaCurrent) {
        HealthCheckResponseBuilder answer =
                HealthCheckResponse.named("ringfence-database").withData("schemaCurrent", schemaCurrent);
        if (durability instanceof Durability.Known known) {
            return answer.withData("fsync", known.fsync())
                    .withData("fullPageWrites", known.fullPageWrites())
                    .withData("writable", known.writable())
                    .withData("readCommitted", known.readCommitted())
                    .status(known.sufficient() && schemaCurrent)
                    .build();
        }
        return answer.withData("sqlState", ((Durability.Unreachable) durability).sqlState())
                .down()
                .build();
    }
}
