package dev.ringfence.job;

import java.util.UUID;

/** The (tenant, subscription) pair after which the next scan begins; the scan goes round, so that everybody has a turn. */
record ScanPlace(long tenantId, UUID subscriptionId) {
    static final ScanPlace START = new ScanPlace(Long.MIN_VALUE, new UUID(0, 0));
}
