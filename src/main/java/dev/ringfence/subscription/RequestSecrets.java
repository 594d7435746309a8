package dev.ringfence.subscription;

import java.util.List;

/**
 * What a subscription's requests need in the clear, for the moment of sending.
 *
 * @param signing one element for each signing entry
 * @param access as whom they appear, and whom they trust
 */
public record RequestSecrets(List<SigningKeys> signing, ReceiverAccess access) {

    /** Of a subscription without secrets. */
    public static final RequestSecrets NONE = new RequestSecrets(List.of(), ReceiverAccess.NONE);

    public RequestSecrets {
        signing = List.copyOf(signing);
    }
}
