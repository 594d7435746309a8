package dev.ringfence.transport;

import java.net.URI;

/**
 * Who asks which authorization server for tokens, by the grant {@code client_credentials} (RFC 6749, 4.4).
 *
 * @param tokenUrl must pass {@link DestinationGuard#checkAtConfiguration}
 */
public record OAuthClient(URI tokenUrl, String clientId, String clientSecret) {

    /** Never shows the secret. */
    @Override
    public String toString() {
        return "OAuthClient[" + tokenUrl.getScheme() + "://" + tokenUrl.getRawAuthority() + "]";
    }
}
