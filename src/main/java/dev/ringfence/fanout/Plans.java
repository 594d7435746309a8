package dev.ringfence.fanout;

/**
 * How the planner is kept to the plans that fan-out's statements are written for.
 *
 * <p>The outbox changes faster than its statistics. A plan that was made and kept while a week was empty reads that week row by row when
 * it holds a hundred thousand rows a minute later, so no plan is kept: a new one is made from the tables' present size, which costs two
 * milliseconds for a batch. And a backlog may look like a few rows, which the planner would read and sort whole for each batch, so every
 * statement follows its index.
 */
final class Plans {

    /** In force until the transaction ends. */
    static final String FOLLOW_THE_INDEX =
            "set local plan_cache_mode = force_custom_plan; set local enable_seqscan = off;"
                    + " set local enable_bitmapscan = off; set local enable_sort = off";

    /**
     * For a lease: it need not outlive a crash of PostgreSQL, which only leaves the event due again. What is published under it is on the
     * disk when its own commit returns, and so is the lease then, as it was written before.
     */
    static final String SOON_ENOUGH = "set local synchronous_commit = off";

    private Plans() {}
}
