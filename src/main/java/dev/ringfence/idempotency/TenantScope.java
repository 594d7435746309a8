package dev.ringfence.idempotency;

import java.util.UUID;

/**
 * The tenant that an answer belongs to, so that its redaction erases the answer.
 *
 * @param tenantId the tenant's narrow key
 * @param epoch the epoch that the request was checked against
 */
public record TenantScope(long tenantId, UUID epoch) {}
