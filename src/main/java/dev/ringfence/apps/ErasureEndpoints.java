package dev.ringfence.apps;

import dev.ringfence.security.SecretBox;
import dev.ringfence.signing.WebhookSecret;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;

/** The erasure endpoints of applications, with their secrets opened. */
@ApplicationScoped
public class ErasureEndpoints {

    @Inject
    AppRepository apps;

    @Inject
    SecretBox secrets;

    /** The application's endpoint as it is configured now; empty where there is none. */
    @Transactional
    public Optional<ErasureEndpoint> of(UUID appId) {
        return apps.find(appId).flatMap(this::endpoint);
    }

    private Optional<ErasureEndpoint> endpoint(App app) {
        String url = app.remoteErasureUrl();
        byte[] sealed = app.remoteErasureSecret();
        if (url == null || sealed == null) {
            return Optional.empty();
        }
        String secret = new String(secrets.open(AppChange.purpose(app), sealed), StandardCharsets.UTF_8);
        return Optional.of(new ErasureEndpoint(url, WebhookSecret.parse(secret).key()));
    }
}
