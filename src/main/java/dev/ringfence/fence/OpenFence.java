package dev.ringfence.fence;

/** A session that holds fences, and its entry in the list of holders. */
record OpenFence(FenceSession session, HeldFences holders) {

    void close() {
        try {
            session.close();
        } finally {
            holders.closed(session);
        }
    }
}
