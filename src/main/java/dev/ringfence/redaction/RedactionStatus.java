package dev.ringfence.redaction;

/** How far a redaction is (RD-2). Stored as text. */
enum RedactionStatus {
    /** Some node works on it, or may at once. */
    RUNNING,
    /** It waits for a fence, a deadline or a receiver, and goes on by itself. */
    WAITING,
    /** Every stage is over and nothing is left of the tenant. */
    DONE,
    /** A stage was given up; a repeated request takes it up again. */
    FAILED
}
