package dev.ringfence.transaction;

/**
 * The commit of a transaction failed, and with it everything in it; where the connection broke during the commit, it may have succeeded
 * all the same. Repeat only what is idempotent.
 */
public class CommitFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CommitFailed(Exception cause) {
        super("the transaction did not commit: " + cause.getMessage(), cause);
    }
}
