package dev.ringfence.operator;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.UUID;

/** Carries operators' jobs on, step by step; any number of nodes may do so at once. */
@ApplicationScoped
public class JobWork {
    private static final Logger LOG = System.getLogger(JobWork.class.getName());

    /** Steps of one call, so that a stopping node is not held up. */
    private static final int MOST_STEPS = 50;

    private final JobSteps steps;

    @Inject
    JobWork(JobSteps steps) {
        this.steps = steps;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    JobWork() {
        this(null);
    }

    /** Does what is due, for a while; call it again for the rest. */
    public void run() {
        for (int i = 0; i < MOST_STEPS; i++) {
            Optional<UUID> job = steps.due();
            if (job.isEmpty()) {
                return;
            }
            step(job.get());
        }
    }

    /** Deletes jobs that have been over for long, a bounded number of them; call it again for the rest (RT-1). */
    public void purge() {
        for (int i = 0; i < MOST_STEPS && steps.purge(); i++) {
            LOG.log(Level.DEBUG, "old jobs deleted, more may follow");
        }
    }

    private void step(UUID job) {
        try {
            steps.look(job).ifPresent(steps::step);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "job={0}: a step failed and follows again later: {1}", job, e.toString());
            steps.failed(job);
        }
    }
}
