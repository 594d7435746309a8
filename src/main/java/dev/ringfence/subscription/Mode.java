package dev.ringfence.subscription;

/** How a subscription gets its events. Stored by name. */
public enum Mode {
    /** Each event is sent to a URL. */
    PUSH,
    /** The subscriber reads a feed. */
    PULL,
    /** Each event goes to a message broker. */
    BROKER
}
