package dev.ringfence.lifecycle;

import java.io.Serial;

/** The database did not answer a question about a tenant. */
public class LifecycleUnreachable extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    LifecycleUnreachable(Throwable cause) {
        super("The tenant's lifecycle row cannot be reached", cause);
    }
}
