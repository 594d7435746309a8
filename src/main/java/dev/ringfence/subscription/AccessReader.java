package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.FieldError;
import dev.ringfence.transport.OAuthClient;
import dev.ringfence.transport.TlsFault;
import dev.ringfence.transport.TlsIdentity;
import dev.ringfence.transport.TlsMaterial;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code auth} and {@code tls}. Whatever is wrong is found here, not by the deliveries; an error repeats nothing of it. */
record AccessReader(ReceiverAccess access, AccessTerms terms) {

    static final String OAUTH = "oauth2";

    static final FieldError NEEDS_HTTPS =
            new FieldError("/tls", "NEEDS_HTTPS", "Certificates need a URL of scheme https.");

    /** RFC 6749, appendix A: what a client's id and secret consist of. */
    private static final Pattern VISIBLE = Pattern.compile("[ -~]+");

    static AccessReader read(JsonNode request, Instant now, List<FieldError> errors) {
        BearerToken bearer = BearerToken.read(request.path("auth"), errors);
        OAuthClient oauth = oauth(request.path("auth"), errors);
        TlsMaterial tls = tls(request.path("tls"));
        TlsIdentity identity = identity(tls, now, errors);
        if (request.has("tls") && plain(request)) {
            errors.add(NEEDS_HTTPS);
        }
        return new AccessReader(
                new ReceiverAccess(bearer, oauth, tls),
                new AccessTerms(
                        bearer != null,
                        oauth != null,
                        identity == null ? null : identity.caExpires(),
                        identity == null ? null : identity.certExpires()));
    }

    /** Whether requests would leave unencrypted. */
    static boolean plain(JsonNode request) {
        return request.path("url").asText().regionMatches(true, 0, "http:", 0, "http:".length());
    }

    private static @Nullable OAuthClient oauth(JsonNode auth, List<FieldError> errors) {
        if (!auth.path("type").asText().equals(OAUTH)) {
            return null;
        }
        for (String field : List.of("clientId", "clientSecret")) {
            if (!VISIBLE.matcher(auth.path(field).asText()).matches()) {
                errors.add(new FieldError("/auth/" + field, "BAD_FORMAT", "Only printable ASCII may be used here."));
            }
        }
        try {
            return new OAuthClient(
                    new URI(auth.path("tokenUrl").asText()),
                    auth.path("clientId").asText(),
                    auth.path("clientSecret").asText());
        } catch (URISyntaxException e) {
            errors.add(new FieldError("/auth/tokenUrl", "MALFORMED", "The URL is malformed."));
            return null;
        }
    }

    private static TlsMaterial tls(JsonNode tls) {
        return new TlsMaterial(text(tls, "ca"), text(tls, "cert"), text(tls, "key"));
    }

    private static @Nullable String text(JsonNode object, String field) {
        return object.has(field) ? object.path(field).asText() : null;
    }

    private static @Nullable TlsIdentity identity(TlsMaterial tls, Instant now, List<FieldError> errors) {
        try {
            return TlsIdentity.read(tls, now);
        } catch (TlsFault fault) {
            String pointer = "/tls/" + fault.part().name().toLowerCase(Locale.ROOT);
            errors.add(new FieldError(pointer, "BAD_CERTIFICATE", String.valueOf(fault.getMessage())));
            return null;
        }
    }
}
