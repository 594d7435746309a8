package dev.ringfence.transport;

/** What counts as an acknowledgement (HT-2). */
public enum AckProfile {
    /** 2xx with a body that accounts for every event that was sent, see {@link Receipt}. */
    RECEIPT,
    /** Any complete 2xx answer. */
    STATUS
}
