package dev.ringfence.wake;

/** What was committed somewhere, and so who should look. */
enum Hint {
    /** Events were recorded: the publisher. */
    RECORDED,

    /** Deliveries are due: the workers. */
    READY
}
