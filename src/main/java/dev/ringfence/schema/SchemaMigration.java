package dev.ringfence.schema;

import dev.ringfence.config.DataSources;
import dev.ringfence.config.Settings;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.interceptor.Interceptor;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/**
 * Makes sure, once per deployment, that the database is what this build needs: updates it where
 * {@code ringfence.schema.migrate} is true, else refuses to start on an older one.
 */
@ApplicationScoped
public class SchemaMigration {
    /** Shorter than the socket timeout of the pinned pool, so that the database's own answer arrives. */
    private static final Duration WAIT = Duration.ofSeconds(50);

    private static final Logger LOG = System.getLogger(SchemaMigration.class.getName());

    private DataSources dataSources;
    private PartitionsRepository partitions;
    private Settings settings;
    private Clock clock;
    private volatile boolean current;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway.Init")
    protected SchemaMigration() {}

    @Inject
    SchemaMigration(DataSources dataSources, PartitionsRepository partitions, Settings settings, Clock clock) {
        this.dataSources = dataSources;
        this.partitions = partitions;
        this.settings = settings;
        this.clock = clock;
    }

    /** Before every other observer of the start, since those may read tables. An exception stops the deployment. */
    void atDeployment(
            @Observes @Initialized(ApplicationScoped.class) @Priority(Interceptor.Priority.PLATFORM_BEFORE)
                    Object start) {
        ensureCurrent();
    }

    /**
     * Returns when the database is current. Whatever starts on its own (timers) calls this first; all calls but one return at
     * once. Never inside a transaction.
     *
     * @throws IllegalStateException when it is not and may not be made so, or the database refuses; the next call tries again
     */
    public void ensureCurrent() {
        if (!current) {
            bringUpToDate();
        }
    }

    /** Whether {@link #ensureCurrent()} has succeeded; asks nobody. */
    public boolean current() {
        return current;
    }

    private synchronized void bringUpToDate() {
        if (current) {
            return;
        }
        ChangeLog changeLog = new ChangeLog(dataSources.pinned(), WAIT);
        List<String> pending = changeLog.pending();
        if (settings.schemaMigrate()) {
            changeLog.update();
        } else if (!pending.isEmpty()) {
            throw new IllegalStateException("The schema of the database lacks " + pending.size() + " change sets ("
                    + pending.get(0) + " first) and ringfence.schema.migrate is false:"
                    + " apply liquibase/changelog.xml as the schema's owner, or set ringfence.schema.migrate=true.");
        }
        int weeks = partitions.ensure(clock.instant(), PartitionsRepository.WEEKS_AHEAD);
        current = true;
        LOG.log(
                Level.INFO,
                "The schema of the database is current: {0} change sets applied, {1} partitions made.",
                settings.schemaMigrate() ? pending.size() : 0,
                weeks);
    }
}
