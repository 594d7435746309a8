package dev.ringfence.lifecycle;

/** Where a tenant is in its life (LC-1). Stored as text. */
public enum Phase {
    /** Enrolled: events are recorded and delivered. */
    ACTIVE,
    /** Erased, or refused before it was ever enrolled; only an enrolment that began later makes it active. */
    REDACTED
}
