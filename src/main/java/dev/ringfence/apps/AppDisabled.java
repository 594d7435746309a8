package dev.ringfence.apps;

import java.util.UUID;

/** An application was disabled and its queued work is to be cancelled (RT-2); fired in the transaction that disables it. */
public record AppDisabled(UUID appId) {}
