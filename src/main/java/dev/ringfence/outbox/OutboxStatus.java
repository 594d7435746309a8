package dev.ringfence.outbox;

/**
 * Where an outbox row stands (OB-1), stored as text.
 *
 * <pre>
 * PENDING ─────────▶ CLAIMED ──▶ PUBLISHED
 *    ▲                 │  ▲
 *    │                 ▼  │
 *    │      FAILED_RETRYABLE
 *    │                 │
 *    └─ DEAD_LETTERED ◀┘ (from CLAIMED)
 * PENDING, CLAIMED, FAILED_RETRYABLE, DEAD_LETTERED ──▶ DISCARDED
 * </pre>
 *
 * The database refuses every other move.
 */
public enum OutboxStatus {
    /** Recorded, waiting for a publisher. */
    PENDING,
    /** Leased by one publisher until {@code locked_until}. */
    CLAIMED,
    /** Fanned out to the subscriptions in the same transaction. */
    PUBLISHED,
    /** Fan-out failed; another try is due at {@code available_at}. */
    FAILED_RETRYABLE,
    /** Fan-out failed for good; an operator decides. */
    DEAD_LETTERED,
    /** Retired: by an operator, or because its tenant or app is gone. */
    DISCARDED
}
