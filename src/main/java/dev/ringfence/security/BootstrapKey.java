package dev.ringfence.security;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.util.List;
import java.util.UUID;

/**
 * The way in to an empty installation: the configured first admin key becomes a stored key when it is first used, and
 * only while there is no key at all.
 */
@ApplicationScoped
public class BootstrapKey {

    private final ApiKeyRepository keys;
    private final Clock clock;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    BootstrapKey() {
        keys = null;
        clock = null;
    }

    @Inject
    public BootstrapKey(ApiKeyRepository keys, Clock clock) {
        this.keys = keys;
        this.clock = clock;
    }

    /**
     * Stores the secret as a global admin key.
     *
     * @return whether it is one now, by this call or by another that was as quick
     */
    @Transactional
    public boolean take(ApiKeySecret secret) {
        ApiKey first = new ApiKey(UUID.randomUUID(), null, "bootstrap", List.of(Roles.ADMIN), clock.instant(), null);
        return keys.insertFirst(first, secret) || keys.findBySecret(secret).isPresent();
    }
}
