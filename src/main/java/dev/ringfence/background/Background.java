package dev.ringfence.background;

import jakarta.ejb.Asynchronous;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.Singleton;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.inject.Inject;

/**
 * Work on a thread of the server, outside the request or the timer that asked for it. No managed executor: a thread of one keeps the class
 * loader of the deployment that it was made in. A singleton, so that what depends on it ends before it does.
 */
@Singleton
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionManagement(TransactionManagementType.BEAN)
public class Background {
    @Inject
    private ServerContexts contexts;

    /**
     * Returns at once.
     *
     * @throws RuntimeException where the server takes no more work, as when it stops
     */
    @Asynchronous
    public void run(Runnable work) {
        contexts.run(work);
    }

    /** As {@link #run}, for work that uses no connection and so needs no context. */
    @Asynchronous
    public void runBare(Runnable work) {
        work.run();
    }
}
