package dev.ringfence.fence;

import java.io.Serial;

/**
 * The session that held a fence is gone or in doubt: whoever held it may no longer act on it (FN-6). Before HTTP nothing is sent;
 * after HTTP began the outcome is uncertain.
 */
public class FenceLost extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    FenceLost(String message) {
        super(message);
    }

    FenceLost(String message, Throwable cause) {
        super(message, cause);
    }
}
