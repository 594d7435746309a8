package dev.ringfence.redaction;

/**
 * A hint that a tenant's work is to be dropped: what waits in memory, what is in flight (RD-1 a). Fired on the node that works on the
 * redaction; correctness never depends on who hears it.
 *
 * @param tenantId the tenant's narrow key
 */
public record TenantCancelled(long tenantId) {}
