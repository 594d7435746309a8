package dev.ringfence.tracking;

/**
 * A tenant's settings as they stand.
 *
 * @param revision grows with each change and goes on after an erasure
 * @param text the JSON object as it was submitted; empty once erased
 */
record StoredSettings(long revision, String text) {

    boolean present() {
        return !text.isEmpty();
    }
}
