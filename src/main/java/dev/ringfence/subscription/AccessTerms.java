package dev.ringfence.subscription;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What may be told of a {@link ReceiverAccess}.
 *
 * @param bearer whether requests carry a token of the subscriber's
 * @param oauth whether they carry tokens of an authorization server
 * @param caExpires when the first of the trusted certificates expires, null where the server's own are trusted
 * @param certExpires when the certificate that they show expires, null where they show none
 */
public record AccessTerms(
        boolean bearer,
        boolean oauth,
        @Nullable Instant caExpires,
        @Nullable Instant certExpires) {

    /** Of requests that carry nothing and trust what the server trusts. */
    public static final AccessTerms NONE = new AccessTerms(false, false, null, null);

    /** Whether requests trust or show certificates of the subscription's own. */
    boolean ownTls() {
        return caExpires != null || certExpires != null;
    }

    /** These and those. */
    AccessTerms with(AccessTerms more) {
        return new AccessTerms(
                bearer || more.bearer,
                oauth || more.oauth,
                caExpires == null ? more.caExpires : caExpires,
                certExpires == null ? more.certExpires : certExpires);
    }
}
