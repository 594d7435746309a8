package dev.ringfence.job;

/** How long an endpoint took for its last answer. */
enum Pace {
    QUICK,
    SLOW,
    /** To the deadline, or without even a connection for as long as a slow answer takes. */
    HUNG
}
