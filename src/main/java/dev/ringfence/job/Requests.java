package dev.ringfence.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ringfence.json.JsonFactories;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.signing.StandardWebhooks;
import dev.ringfence.subscription.BearerToken;
import dev.ringfence.subscription.ReceiverAccess;
import dev.ringfence.subscription.RequestSecrets;
import dev.ringfence.subscription.SigningKeys;
import dev.ringfence.transport.Outbound;
import java.net.URI;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Builds the request of an attempt: the stored bytes, and a time and signatures that are new each time (SG-4, D12). */
final class Requests {
    private static final ObjectMapper JSON = JsonFactories.plainMapper();
    private static final TypeReference<Map<String, String>> HEADERS = new TypeReference<>() {};

    /** Marks a test send (SB-7). */
    private static final String TEST = "Ringfence-Test";

    private Requests() {}

    /** The request; empty where the delivery holds nothing that could be sent. */
    static Optional<Outbound> of(Reserved reserved, Endpoint endpoint, Instant now, long sendByNanos) {
        byte[] body = reserved.body();
        String url = reserved.url();
        RequestSecrets secrets = endpoint.secrets();
        if (body == null || url == null || secrets == null) {
            return Optional.empty();
        }
        try {
            var destination = endpoint.subscription().destination();
            ReceiverAccess access = access(url, endpoint, secrets);
            return Optional.of(new Outbound(
                    URI.create(url),
                    headers(reserved, body, secrets, access.bearer(), now.getEpochSecond()),
                    body,
                    destination.timeout(),
                    sendByNanos,
                    destination.ack(),
                    access.tls(),
                    access.oauth()));
        } catch (IllegalArgumentException | JsonProcessingException unsendable) {
            return Optional.empty();
        }
    }

    /** A subscription that was given another receiver meanwhile: its credentials are for that one, and the URL is of the one before (SB-4). */
    private static ReceiverAccess access(String url, Endpoint endpoint, RequestSecrets secrets) {
        String present = endpoint.subscription().destination().url();
        return present != null && origin(url).equals(origin(present)) ? secrets.access() : ReceiverAccess.NONE;
    }

    /** Scheme, host and port, which may be left out where it is the scheme's own. */
    private static String origin(String url) {
        URI uri = URI.create(url);
        String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
        int port = uri.getPort() >= 0 ? uri.getPort() : scheme.equals("https") ? 443 : 80;
        return scheme + "://" + String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT) + ":" + port;
    }

    private static Map<String, String> headers(
            Reserved reserved, byte[] body, RequestSecrets secrets, @Nullable BearerToken bearer, long seconds)
            throws JsonProcessingException {
        Map<String, String> headers = new HashMap<>();
        if (reserved.headers() != null) {
            headers.putAll(JSON.readValue(reserved.headers(), HEADERS));
        }
        if (reserved.traceparent() != null) {
            headers.put("traceparent", reserved.traceparent());
        }
        if (reserved.test()) {
            headers.put(TEST, "true");
        }
        if (bearer != null) {
            headers.put("Authorization", bearer.authorization());
        }
        for (SigningKeys signing : secrets.signing()) {
            headers.put(signing.prefix() + "-id", reserved.messageId());
            headers.put(signing.prefix() + "-timestamp", Long.toString(seconds));
            headers.put(signing.prefix() + "-signature", signatures(signing, reserved.messageId(), seconds, body));
        }
        return headers;
    }

    /** One signature per key, so that a receiver may hold the old or the new one (SB-7). */
    private static String signatures(SigningKeys signing, String id, long seconds, byte[] body) {
        return signing.keys().stream()
                .map(key -> StandardWebhooks.sign(key, id, seconds, body))
                .collect(Collectors.joining(" "));
    }
}
