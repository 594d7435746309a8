package dev.ringfence.security;

import dev.ringfence.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;

/** Turns the secret that a request carries into its {@link Caller} (SC-1). */
@ApplicationScoped
public class Authentication {

    private final ApiKeyRepository keys;
    private final BootstrapKey bootstrapKey;
    private final Settings settings;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    Authentication() {
        keys = null;
        bootstrapKey = null;
        settings = null;
    }

    @Inject
    public Authentication(ApiKeyRepository keys, BootstrapKey bootstrapKey, Settings settings) {
        this.keys = keys;
        this.bootstrapKey = bootstrapKey;
        this.settings = settings;
    }

    /** The caller behind a secret; empty where no key has it or the key is revoked. */
    public Optional<Caller> authenticate(ApiKeySecret secret) {
        Optional<ApiKey> known = keys.findBySecret(secret);
        if (known.isEmpty() && isBootstrap(secret) && bootstrapKey.take(secret)) {
            known = keys.findBySecret(secret);
        }
        return known.filter(key -> key.revokedAt() == null)
                .map(key -> new Caller(key.id(), key.appId(), Set.copyOf(key.roles()), key.name()));
    }

    private boolean isBootstrap(ApiKeySecret secret) {
        return settings.bootstrapAdminKey()
                .filter(configured -> Macs.same(
                        configured.text().getBytes(StandardCharsets.UTF_8),
                        secret.reveal().getBytes(StandardCharsets.UTF_8)))
                .isPresent();
    }
}
