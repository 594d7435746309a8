package dev.ringfence.job;

/** What happens to the database between the engine's steps; each is called on the worker's thread, each time. */
interface Interference {
    Interference NONE = new Interference() {};

    /** After the scan, before the reservation. */
    default void beforeReservation() {}

    /** After the reservation's commit, before the tenants are read again. */
    default void beforeSecondLook() {}
}
