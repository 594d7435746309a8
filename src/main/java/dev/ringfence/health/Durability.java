package dev.ringfence.health;

/** Whether a commit of this database survives the loss of power. */
sealed interface Durability {

    /**
     * The database answered.
     *
     * @param fsync whether commits reach the disk
     * @param fullPageWrites whether a torn page can be repaired
     * @param writable false on a standby, and where transactions are read-only
     */
    record Known(boolean fsync, boolean fullPageWrites, boolean writable) implements Durability {
        boolean sufficient() {
            return fsync && fullPageWrites && writable;
        }
    }

    /** The database did not answer; {@code sqlState} says why, without words of the driver. */
    record Unreachable(String sqlState) implements Durability {}
}
