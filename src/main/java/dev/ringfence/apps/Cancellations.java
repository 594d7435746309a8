package dev.ringfence.apps;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.UUID;

/**
 * Cancels the queued work of disabled applications (RT-2), in chunks that any node may do at any time. The application can be enabled
 * again when it is through, so that nothing of before is ever sent.
 */
@ApplicationScoped
public class Cancellations {
    private static final int CHUNK = 1_000;

    @Inject
    CancellationRepository repository;

    /** The applications whose work is still to be cancelled. */
    @Transactional
    public List<UUID> open() {
        return repository.allOpen();
    }

    /**
     * Cancels one chunk, or notes that nothing is left.
     *
     * @return whether another chunk may follow at once
     */
    @Transactional
    public boolean cancel(UUID app) {
        int cancelled = repository.discardEvents(app, CHUNK) + repository.cancelDeliveries(app, CHUNK);
        if (cancelled > 0) {
            repository.count(app, cancelled);
            return true;
        }
        repository.finish(app);
        return false;
    }
}
