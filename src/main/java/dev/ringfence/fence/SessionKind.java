package dev.ringfence.fence;

/** What stands between the fence's connections and PostgreSQL (FN-8). */
public enum SessionKind {
    /** Nothing: a connection is a session of the server. */
    DIRECT,

    /** A pooler that gives each connection a session of its own for as long as it is open. */
    POOLED_SESSIONS,

    /** A pooler that hands a session to the next client after each transaction: fences would be held by nobody, or for ever. */
    POOLED_TRANSACTIONS,

    /** The database did not answer. */
    UNKNOWN;

    /** Whether a session lock taken on a connection is that connection's own until it is released. */
    public boolean holdsFences() {
        return this == DIRECT || this == POOLED_SESSIONS;
    }
}
