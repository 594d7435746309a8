package dev.ringfence.apps;

import dev.ringfence.security.ApiKey;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A key as the interface shows it: never its secret. */
record KeyView(
        UUID id,
        String name,
        List<String> roles,
        Instant createdAt,
        @Nullable Instant revokedAt) {

    static KeyView of(ApiKey key) {
        return new KeyView(key.id(), key.name(), key.roles(), key.createdAt(), key.revokedAt());
    }
}
