package dev.ringfence.transport;

/** What an exchange holds while it runs: a connection of its own, or a stream on one that others use too. */
interface Seat {
    /**
     * Gives it back.
     *
     * @param reusable whether request and answer came to their ends, so that the next may follow
     */
    void release(boolean reusable);

    /** Whether the first byte of a request that counts as sent was handed on, and does not wait behind others any more. */
    boolean hasLeft();
}
