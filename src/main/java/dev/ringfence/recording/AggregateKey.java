package dev.ringfence.recording;

/** Names one aggregate of one tenant. */
record AggregateKey(long tenantId, String type, String id) {}
