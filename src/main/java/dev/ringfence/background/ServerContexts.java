package dev.ringfence.background;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ContextService;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Contexts of the web application's start, in which work runs that an enterprise bean begins. In a bean's own context Payara ties no
 * connection to a transaction that {@code @Transactional} begins: each statement would commit by itself. One thread at a time has a context,
 * because Payara keeps the transaction with it.
 */
@ApplicationScoped
public class ServerContexts {
    /** More than there are timers, loops and stragglers. */
    private static final int MOST = 32;

    private final Queue<Executor> free = new ConcurrentLinkedQueue<>();

    @Resource
    private @Nullable ContextService service;

    /** Called once, while the web application starts, on its thread. */
    void take() {
        ContextService contexts = service;
        for (int i = 0; contexts != null && i < MOST; i++) {
            free.add(contexts.currentContextExecutor());
        }
    }

    /**
     * Runs the work on this thread.
     *
     * @throws RejectedExecutionException before the application has started
     */
    public void run(Runnable work) {
        Executor context = free.poll();
        if (context == null) {
            throw new RejectedExecutionException("the application has not started");
        }
        try {
            context.execute(work);
        } finally {
            free.add(context);
        }
    }

    /** Whether the application has started. */
    public boolean ready() {
        return !free.isEmpty();
    }
}
