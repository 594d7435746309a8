package dev.ringfence.job;

/** This node's part of the work: deliveries whose id divided by {@code nodes} leaves {@code rank} (AD-6). */
public record NodeShare(int nodes, int rank) {
    public static final NodeShare ALL = new NodeShare(1, 0);
}
