package dev.ringfence.subscription;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a subscription's requests need in the clear, for the moment of sending.
 *
 * @param signing one element for each signing entry
 * @param bearer null where the receiver asks for no token
 */
public record RequestSecrets(
        List<SigningKeys> signing, @Nullable BearerToken bearer) {

    /** Of a subscription without secrets. */
    public static final RequestSecrets NONE = new RequestSecrets(List.of(), null);

    public RequestSecrets {
        signing = List.copyOf(signing);
    }
}
