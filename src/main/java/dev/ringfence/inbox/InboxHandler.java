package dev.ringfence.inbox;

/**
 * What an application does with incoming events: a CDI bean. Extension point.
 *
 * <p>A handler runs in the transaction that stores the receipt, once per event id and consumer. Where it throws, the whole
 * request is rolled back and the sender tries again. It should do nothing for an event that is older than what it knows
 * (IN-2), and must not call other systems: their effect would not roll back.
 */
public interface InboxHandler {

    /** Name of the consumer whose events it wants. */
    String consumer();

    /** Applies a new event. */
    void handle(InboxEvent event);
}
