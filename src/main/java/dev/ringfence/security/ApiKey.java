package dev.ringfence.security;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An API key as it is stored, without its secret (SC-1).
 *
 * @param appId the application it is bound to; {@code null} for a global key
 * @param roles sorted, a subset of {@link Roles#ALL}
 * @param revokedAt since when it is refused
 */
public record ApiKey(
        UUID id,
        @Nullable UUID appId,
        String name,
        List<String> roles,
        Instant createdAt,
        @Nullable Instant revokedAt) {

    public ApiKey {
        roles = roles.stream().sorted().distinct().toList();
    }
}
