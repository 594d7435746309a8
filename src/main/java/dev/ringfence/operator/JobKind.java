package dev.ringfence.operator;

/** What a job does. Stored by name. */
public enum JobKind {
    /** One delivery once more; done when it is answered. */
    RETRY,
    /** The deliveries of a window once more (DL-4). */
    REPLAY
}
