package dev.ringfence.subscription;

/** Why Ringfence disabled a subscription by itself (SB-6). Stored by name. */
enum DisabledReason {
    /** As many deliveries died in a row as its threshold says. */
    DEAD_THRESHOLD,
    /** Its receiver answered 410. */
    GONE
}
