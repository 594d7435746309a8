package dev.ringfence.subscription;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a rotation of secrets (SB-7).
 *
 * @param secret the first entry's new secret; null wherever the answer is kept
 * @param graceEndsAt until when the secrets before sign too
 */
record Rotation(@Nullable String secret, List<SubscriptionAnswer.Signing> signing, Instant graceEndsAt) {

    /** Never shows a secret. */
    @Override
    public String toString() {
        return "Rotation[" + graceEndsAt + "]";
    }
}
