package dev.ringfence.transport;

import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One POST, complete.
 *
 * @param url where to; must pass {@link DestinationGuard#checkAtConfiguration}
 * @param headers added to the transport's own; {@code Content-Type} and {@code User-Agent} may be given, what frames or
 *     routes the message may not
 * @param body the exact bytes; not copied, not to be changed
 * @param timeout for everything from {@link HttpTransport#send} to the last byte of the answer
 * @param sendByNanos on {@link dev.ringfence.time.NanoClock}: after it no first byte leaves (RD-5)
 * @param ack what counts as an acknowledgement
 * @param tls whom it trusts and as whom it appears, where {@code url} is https
 * @param oauth whose token it carries in {@code Authorization}, null for none; asked for within {@code timeout}
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; a copy of up to 1 MiB for each attempt is not worth it
public record Outbound(
        URI url,
        Map<String, String> headers,
        byte[] body,
        Duration timeout,
        long sendByNanos,
        AckProfile ack,
        TlsMaterial tls,
        @Nullable OAuthClient oauth) {
    private static final Set<String> RESERVED = Set.of(
            "host",
            "connection",
            "content-length",
            "transfer-encoding",
            "te",
            "trailer",
            "upgrade",
            "expect",
            "keep-alive",
            "proxy-connection",
            "proxy-authorization");

    /** Refuses (IllegalArgumentException) header names and values that would change the message's frame. */
    public Outbound {
        headers = Map.copyOf(headers);
        headers.forEach(Outbound::checkHeader);
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("a timeout is positive");
        }
    }

    /** One that trusts what the server trusts, and carries no token of an authorization server. */
    public Outbound(
            URI url, Map<String, String> headers, byte[] body, Duration timeout, long sendByNanos, AckProfile ack) {
        this(url, headers, body, timeout, sendByNanos, ack, TlsMaterial.NONE, null);
    }

    /** Whether a header may be given: its name is a token and not reserved, its value visible ASCII, blanks and tabs. */
    public static boolean isHeaderAllowed(String name, String value) {
        return !name.isEmpty()
                && name.chars().allMatch(Outbound::isTokenCharacter)
                && !RESERVED.contains(name.toLowerCase(Locale.ROOT))
                && value.chars().allMatch(c -> (c >= ' ' && c < 0x7f) || c == '\t');
    }

    private static void checkHeader(String name, String value) {
        if (!isHeaderAllowed(name, value)) {
            throw new IllegalArgumentException("header " + name + " may not be given, or not with this value");
        }
    }

    private static boolean isTokenCharacter(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
    }

    /** Without headers and body: they hold secrets and payload. */
    @Override
    public String toString() {
        return "Outbound[" + url.getScheme() + "://" + url.getRawAuthority() + ", " + body.length + " bytes, " + ack
                + "]";
    }
}
