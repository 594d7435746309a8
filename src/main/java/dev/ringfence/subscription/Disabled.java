package dev.ringfence.subscription;

import java.util.UUID;

/** A subscription that Ringfence has disabled by itself just now. */
record Disabled(UUID subscriptionId, UUID appId, long tenantId, DisabledReason reason, int consecutiveDead) {}
