package dev.ringfence.subscription;

import dev.ringfence.transport.OAuthClient;
import dev.ringfence.transport.TlsMaterial;
import org.jspecify.annotations.Nullable;

/**
 * As whom requests appear to a receiver, and whom they trust there (SB-1). Secrets: kept sealed, and part of no answer.
 *
 * @param bearer the token they carry, null for none
 * @param oauth whose tokens they carry, null for none
 */
public record ReceiverAccess(
        @Nullable BearerToken bearer, @Nullable OAuthClient oauth, TlsMaterial tls) {

    /** As nobody, trusting what the server trusts. */
    public static final ReceiverAccess NONE = new ReceiverAccess(null, null, TlsMaterial.NONE);

    static ReceiverAccess of(BearerToken bearer) {
        return new ReceiverAccess(bearer, null, TlsMaterial.NONE);
    }
}
