package dev.ringfence.redaction;

/** How far a stage is. Stored as text. */
enum StageStatus {
    PENDING,
    RUNNING,
    DONE,
    /** Not needed, or not configured. */
    SKIPPED,
    /** Given up; a repeated request takes it up again. */
    FAILED;

    boolean over() {
        return this == DONE || this == SKIPPED;
    }
}
