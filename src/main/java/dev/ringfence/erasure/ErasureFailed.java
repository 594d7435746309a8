package dev.ringfence.erasure;

import java.io.Serial;

/** The database did not erase, or did not say what is left. */
public class ErasureFailed extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    ErasureFailed(String what, Throwable cause) {
        super("cannot " + what, cause);
    }
}
