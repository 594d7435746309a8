package dev.ringfence.health;

/** Whether a commit of this database survives the loss of power, and whether what is read under a fence is newer than the fence. */
sealed interface Durability {

    /**
     * The database answered.
     *
     * @param fsync whether commits reach the disk
     * @param fullPageWrites whether a torn page can be repaired
     * @param writable false on a standby, and where transactions are read-only
     * @param readCommitted false where transactions of the pool keep to one snapshot, which may be older than a fence they wait for (FN-4)
     */
    record Known(boolean fsync, boolean fullPageWrites, boolean writable, boolean readCommitted) implements Durability {
        boolean sufficient() {
            return fsync && fullPageWrites && writable && readCommitted;
        }
    }

    /** The database did not answer; {@code sqlState} says why, without words of the driver. */
    record Unreachable(String sqlState) implements Durability {}
}
