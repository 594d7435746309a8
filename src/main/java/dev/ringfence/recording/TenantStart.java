package dev.ringfence.recording;

import dev.ringfence.lifecycle.CallerStart;
import java.time.Instant;

/**
 * When a request began, as far as is known (LC-5).
 *
 * @param receivedAt when the server saw it, before authentication (LC-3)
 */
public record TenantStart(CallerStart callerStart, Instant receivedAt) {}
