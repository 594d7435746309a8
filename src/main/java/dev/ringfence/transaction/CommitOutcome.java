package dev.ringfence.transaction;

import jakarta.interceptor.InvocationContext;
import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.RollbackException;

/**
 * Turns the checked exceptions that a transaction manager throws through methods that declare none, when their commit fails, into one
 * that callers reckon with. Unseen, they would pass every {@code catch (RuntimeException)} between the boundary and the thread.
 */
final class CommitOutcome {
    private CommitOutcome() {}

    static Object of(InvocationContext call) throws Exception {
        try {
            return call.proceed();
        } catch (RollbackException | HeuristicMixedException | HeuristicRollbackException failed) {
            throw new CommitFailed(failed);
        }
    }
}
