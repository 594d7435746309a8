package dev.ringfence.fanout;

/** What becomes of one event for one subscription. */
enum Fate {
    /** It waits to be sent. */
    SEND,
    /** The filter refuses it: recorded, never queued (SB-3). */
    SKIP,
    /** Wanted, but its family was never granted, or no more: failed at once (SB-5). */
    DENY,
    /** Wanted, but its template makes a body that is too large: failed at once (SB-1). */
    OVERSIZE
}
