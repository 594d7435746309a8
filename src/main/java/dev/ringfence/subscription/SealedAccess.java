package dev.ringfence.subscription;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.StrictJson;
import dev.ringfence.transport.OAuthClient;
import dev.ringfence.transport.TlsMaterial;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A receiver's access as text to seal, one for each kind, and back. Kinds are entries beside the signing entries, which count from 0. */
final class SealedAccess {

    static final int BEARER = -1;
    static final int OAUTH = -2;
    static final int TLS = -3;

    private SealedAccess() {}

    /** The texts by their entry. */
    static Map<Integer, String> texts(ReceiverAccess access) {
        Map<Integer, String> texts = new TreeMap<>();
        BearerToken bearer = access.bearer();
        if (bearer != null) {
            texts.put(BEARER, bearer.text());
        }
        OAuthClient oauth = access.oauth();
        if (oauth != null) {
            texts.put(
                    OAUTH,
                    json(Map.of(
                            "tokenUrl", oauth.tokenUrl().toString(),
                            "clientId", oauth.clientId(),
                            "clientSecret", oauth.clientSecret())));
        }
        TlsMaterial tls = access.tls();
        if (!tls.equals(TlsMaterial.NONE)) {
            texts.put(TLS, json(parts(tls)));
        }
        return texts;
    }

    /** The parts that are there, by the names of a subscription's {@code tls}. */
    static Map<String, String> parts(TlsMaterial tls) {
        Map<String, String> parts = new LinkedHashMap<>();
        put(parts, "ca", tls.ca());
        put(parts, "cert", tls.cert());
        put(parts, "key", tls.key());
        return parts;
    }

    private static void put(Map<String, String> parts, String name, @Nullable String part) {
        if (part != null) {
            parts.put(name, part);
        }
    }

    private static String json(Map<String, String> values) {
        return new String(StrictJson.write(values), UTF_8);
    }

    /** What {@link #texts} was made of. */
    static ReceiverAccess access(Map<Integer, String> texts) {
        String bearer = texts.get(BEARER);
        return new ReceiverAccess(
                bearer == null ? null : new BearerToken(bearer), oauth(texts.get(OAUTH)), tls(texts.get(TLS)));
    }

    private static @Nullable OAuthClient oauth(@Nullable String text) {
        if (text == null) {
            return null;
        }
        JsonNode values = StrictJson.parse(text.getBytes(UTF_8));
        return new OAuthClient(
                URI.create(values.path("tokenUrl").asText()),
                values.path("clientId").asText(),
                values.path("clientSecret").asText());
    }

    private static TlsMaterial tls(@Nullable String text) {
        if (text == null) {
            return TlsMaterial.NONE;
        }
        JsonNode parts = StrictJson.parse(text.getBytes(UTF_8));
        return new TlsMaterial(part(parts, "ca"), part(parts, "cert"), part(parts, "key"));
    }

    private static @Nullable String part(JsonNode parts, String name) {
        return parts.has(name) ? parts.path(name).asText() : null;
    }
}
