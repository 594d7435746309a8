package dev.ringfence.fanout;

import java.util.UUID;

/** One delivery to be written. */
record PlannedDelivery(ClaimedEvent event, UUID subscriptionId, Fate fate) {}
