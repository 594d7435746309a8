package dev.ringfence.operator;

/** How far a job is. Stored by name. */
public enum JobStatus {
    QUEUED,
    RUNNING,
    DONE,
    /** It stopped for good; what it had done stays done. */
    FAILED
}
