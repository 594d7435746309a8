package dev.ringfence.transaction;

import jakarta.interceptor.InvocationContext;
import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.TransactionalException;

/**
 * Turns what a transaction manager throws when a commit fails into one exception that callers reckon with. WildFly throws checked ones
 * through methods that declare none, which pass every {@code catch (RuntimeException)} between the boundary and the thread; Payara wraps
 * them, and its JAX-RS then answers by itself.
 */
final class CommitOutcome {
    private CommitOutcome() {}

    static Object of(InvocationContext call) throws Exception {
        try {
            return call.proceed();
        } catch (RollbackException
                | HeuristicMixedException
                | HeuristicRollbackException
                | TransactionalException failed) {
            throw new CommitFailed(failed);
        }
    }
}
