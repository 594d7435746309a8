package dev.ringfence.idempotency;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A committed answer under some key. */
record StoredAnswer(byte[] bodySha256, @Nullable UUID epoch, int status, byte[] response) {}
