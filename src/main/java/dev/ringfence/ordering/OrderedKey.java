package dev.ringfence.ordering;

import java.util.UUID;

/** A queue of deliveries that wait for each other: those of one subscription whose events have one ordering key. */
public record OrderedKey(UUID subscriptionId, String key) {}
