package dev.ringfence.inbox;

import java.time.Instant;

/**
 * Somebody here who takes events.
 *
 * @param name unique; part of the path that senders post to
 * @param scheme how senders sign: {@code webhook-id}
 * @param sealedSecret the signing secret, sealed (SC-2)
 */
record Consumer(String name, String scheme, byte[] sealedSecret, Instant createdAt) {

    /** As the interface shows it. */
    record View(String name, String scheme, Instant createdAt) {}

    View view() {
        return new View(name, scheme, createdAt);
    }

    /** What the secret of a consumer is sealed for. */
    static String purpose(String name) {
        return "inbox consumer " + name;
    }
}
