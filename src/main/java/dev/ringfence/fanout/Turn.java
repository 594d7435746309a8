package dev.ringfence.fanout;

/**
 * What one claim looks for: the tenants that come after one, and how much of each.
 *
 * @param after the tenant before the first
 * @param perTenant due events of one tenant at most
 * @param due due events of all at most
 * @param expired events whose lease ran out at most
 */
record Turn(long after, int perTenant, int due, int expired) {

    static final long START = Long.MIN_VALUE;

    /** So many tenants with a backlog share a batch. */
    private static final int SHARE = 4;

    static Turn of(long after, int batch) {
        return new Turn(after, Math.max(1, batch / SHARE), batch, batch);
    }

    /** For the places that a turn left free: whoever still has something. */
    static Turn rest(int free) {
        return new Turn(START, free, free, 0);
    }
}
