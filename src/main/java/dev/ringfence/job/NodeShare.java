package dev.ringfence.job;

/**
 * This node's part of the work: deliveries whose id divided by {@code nodes} leaves {@code rank} (AD-6).
 *
 * @param andOverdue also those of the others that are overdue: a node may show signs of life and yet deliver nothing
 */
public record NodeShare(int nodes, int rank, boolean andOverdue) {
    public static final NodeShare ALL = new NodeShare(1, 0);

    public NodeShare(int nodes, int rank) {
        this(nodes, rank, false);
    }

    NodeShare withOverdue(boolean too) {
        return new NodeShare(nodes, rank, too);
    }
}
