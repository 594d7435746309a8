package dev.ringfence.subscription;

/** Whether events become deliveries and waiting deliveries are sent (SB-3). Stored by name. */
public enum SubscriptionStatus {
    /** Both. */
    ACTIVE,
    /** New events create no delivery; those already waiting stay, and may expire. */
    PAUSED,
    /** New events create no delivery; waiting ones fail when due. */
    DISABLED
}
