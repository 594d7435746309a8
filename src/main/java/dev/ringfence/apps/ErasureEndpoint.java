package dev.ringfence.apps;

/**
 * Where an application erases a tenant at its own side.
 *
 * @param key the key that requests are signed with
 */
@SuppressWarnings("ArrayRecordComponent") // a key that nobody compares
public record ErasureEndpoint(String url, byte[] key) {

    /** Without the key, and without what the URL may hold. */
    @Override
    public String toString() {
        return "ErasureEndpoint[hidden]";
    }
}
