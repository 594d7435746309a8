package dev.ringfence.operator;

import java.util.UUID;

/**
 * What an operator asks to be done to one delivery, and why (OP-1).
 *
 * @param appId the application of the path; the delivery may be another's
 * @param reason the operator's own words
 */
record DeliveryDeed(UUID appId, long delivery, String reason, Deed deed) {}
