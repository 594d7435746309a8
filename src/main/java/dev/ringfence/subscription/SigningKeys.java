package dev.ringfence.subscription;

import java.util.List;

/**
 * What one signing entry signs with now: its current key and those in their grace after a rotation (SB-7).
 *
 * @param prefix of the signature's headers
 * @param keys raw HMAC keys, the newest first
 */
@SuppressWarnings("ArrayRecordComponent") // keys are bytes that nobody compares
public record SigningKeys(String prefix, List<byte[]> keys) {

    public SigningKeys {
        keys = List.copyOf(keys);
    }

    /** Never shows a key. */
    @Override
    public String toString() {
        return "SigningKeys[" + prefix + ", " + keys.size() + "]";
    }
}
