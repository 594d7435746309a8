package dev.ringfence.outbox;

import java.time.Instant;

/** Where an event's row is: its ordinal, and when it was recorded, which names its week. */
public record EventAt(long ordinal, Instant recordedAt) {}
