package dev.ringfence.signing;

import java.time.Instant;

/** What a {@link WebhookVerifier} found. */
public sealed interface Verification {
    /**
     * The request is from a holder of the secret and fresh.
     *
     * @param id the signed {@code webhook-id}: deduplicate by it
     * @param signedAt when the sender signed, in whole seconds
     */
    record Valid(String id, Instant signedAt) implements Verification {}

    /** Not to be trusted. */
    record Invalid(Reason reason) implements Verification {}

    /** Why a request is not trusted. */
    enum Reason {
        /** One of the three headers is missing or empty. */
        HEADER_MISSING,
        /** The timestamp is not a number of seconds. */
        TIMESTAMP_MALFORMED,
        /** Signed longer ago than the tolerance allows, perhaps a replay. */
        TOO_OLD,
        /** Signed further in the future than the tolerance allows. */
        TOO_NEW,
        /** No signature in the header was made with one of the keys. */
        SIGNATURE_MISMATCH
    }
}
