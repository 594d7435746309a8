package dev.ringfence.transport;

/**
 * Why an attempt or a delivery ended as it did: the closed list that history holds instead of exception texts (AT-7). The
 * first block comes from sending, the second from the engine around it.
 */
public enum OutcomeCode {
    /** The receiver answered 3xx; no redirect is ever followed. */
    REDIRECT,
    /** The receiver answered 4xx, but not 408, 410 or 429. */
    REFUSED,
    /** No complete answer within the deadline, or 408. */
    TIMEOUT,
    /** The connection ended after the request had begun and before the answer was complete. */
    CONNECTION_BROKEN,
    /** The host name has no address, or its lookup took too long. */
    NAME_NOT_RESOLVED,
    /** No connection came about. */
    CONNECT_FAILED,
    /** The TLS handshake failed: certificate, host name or protocol. */
    TLS_FAILED,
    /** The egress proxy could not be reached, or made no tunnel. */
    PROXY_FAILED,
    /** The authorization server gave no token for the receiver. */
    TOKEN_UNAVAILABLE,
    /** The receiver refused a token (401) that another may replace: the next attempt gets a new one. */
    TOKEN_REFUSED,
    /** The answer is no HTTP, or 2xx without the acknowledgement that was asked for (HT-2). */
    INVALID_ACK,
    /** The acknowledgement is longer than 8 KiB. */
    ACK_TOO_LARGE,
    /** The receiver answered 429. */
    RATE_LIMITED,
    /** The receiver answered 5xx. */
    SERVER_ERROR,
    /** The receiver answered 410: it wants nothing more. */
    GONE,
    /** The stored body is not what the acknowledgement profile needs; nothing was sent (HT-3). */
    MALFORMED_PAYLOAD,
    /** The destination's address is not allowed; nothing was sent (HT-4). */
    DESTINATION_NOT_ALLOWED,

    /** The tenant's fence was lost while the attempt ran. */
    FENCE_LOST,
    /** The process that ran the attempt ended; whether anything arrived is not known. */
    ABANDONED,
    /** All attempts of the cycle are spent. */
    EXHAUSTED,
    /** The cycle is older than its age budget. */
    EXPIRED,
    /** The subscription has no grant for the event. */
    ACCESS_ABSENT,
    /** The subscription's envelope template makes a body of this event that is larger than any that is sent. */
    BODY_TOO_LARGE,
    /** The subscription was deleted. */
    SUBSCRIPTION_GONE,
    /** The subscription is disabled. */
    SUBSCRIPTION_DISABLED,
    /** The sending application is disabled. */
    APP_DISABLED,
    /** The tenant was redacted. */
    REDACTED
}
