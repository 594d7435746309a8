package dev.ringfence.delivery;

import java.util.Locale;

/**
 * The states of a delivery (DL-1); stored as lower-case text. The database refuses every move that is not drawn here.
 *
 * <pre>
 *            ┌────────────┐  uncertain, not sent   ┌────────────┐
 *  fan-out ─▶│  pending   │───────────────────────▶│  retrying  │─┐ again
 *            └─────┬──────┘                        └─────┬──────┘◀┘
 *                  │                                     │
 *                  ├── acknowledged ──▶ delivered ◀──────┤
 *                  ├── refused, last attempt, expired ─▶ dead ◀──┤
 *                  └── consent or configuration lost ─▶ failed ◀─┘
 *
 *  delivered, dead, failed, retrying ── operator's retry: a new cycle ──▶ pending
 *  fan-out ─▶ skipped_filter: the filter refused the event; nothing leaves it
 * </pre>
 */
public enum DeliveryState {
    PENDING,
    RETRYING,
    DELIVERED,
    FAILED,
    DEAD,
    SKIPPED_FILTER;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** As stored and as the API shows it. */
    public String text() {
        return text;
    }

    /** Whether another attempt may follow without anybody asking for it. */
    public boolean live() {
        return this == PENDING || this == RETRYING;
    }
}
