package dev.ringfence.recording;

import dev.ringfence.lifecycle.CallerStart;
import dev.ringfence.lifecycle.TenantRef;
import java.time.Instant;
import java.util.UUID;

/**
 * Under what a request wants to record.
 *
 * @param receivedAt when the server saw it, before authentication (LC-3)
 */
public record TenantRequest(TenantRef tenant, UUID epoch, CallerStart callerStart, Instant receivedAt) {}
