package dev.ringfence.transaction;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.Transactional;

/** Stands around the server's own interceptor of {@code REQUIRES_NEW}, so it sees what the commit throws. */
@Interceptor
@Transactional(Transactional.TxType.REQUIRES_NEW)
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 150)
public class RequiresNewCommit {
    /** The call, with a failed commit as {@link CommitFailed}. */
    @AroundInvoke
    public Object around(InvocationContext call) throws Exception {
        return CommitOutcome.of(call);
    }
}
