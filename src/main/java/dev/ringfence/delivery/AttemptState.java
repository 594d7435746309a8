package dev.ringfence.delivery;

/** How an attempt stands (AT-4); stored by name. {@link #SENDING} is left once, for one of the others, and never again. */
public enum AttemptState {
    /** Reserved and committed; the request may be under way. */
    SENDING,
    /** The receiver acknowledged. */
    ACKNOWLEDGED,
    /** Refused for good, or not sendable at all. */
    FAILED,
    /** The request may have been taken, or not: nobody knows. Spent. */
    UNCERTAIN,
    /** Stopped by a redaction or a disabled application before HTTP. Spent. */
    CANCELLED,
    /** Proved that no byte of the request left. Spent. */
    NOT_SENT,
    /** Given back, once, because HTTP certainly never started. Not counted. */
    RELEASED
}
