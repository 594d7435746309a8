package dev.ringfence.outbox;

/** What the key table remembers of an event that was recorded before. */
public record KnownEvent(String eventId, long ordinal, byte[] contentSha256) {}
