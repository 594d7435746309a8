package dev.ringfence.subscription;

/** Whether a subscription's deliveries keep an order (OB-5). Stored by name. */
public enum Ordering {
    /** Each is sent as soon as it can be. */
    NONE,
    /** Of the events with one ordering key each waits until the one before has ended. */
    KEY
}
