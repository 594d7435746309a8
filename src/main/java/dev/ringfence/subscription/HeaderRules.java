package dev.ringfence.subscription;

import dev.ringfence.transport.Outbound;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which own headers a subscription may add to its requests. Refused when saved, so that no delivery spends its attempts on a header that
 * no request can carry: names that are no RFC 9110 tokens, values with line breaks or other control characters, and every name that the
 * sender or the connection sets, in any case (SB-7). What the transport would refuse is refused here too, whatever the lists below say.
 */
final class HeaderRules {

    static final int MAX_NAME = 100;
    static final int MAX_VALUE = 2000;

    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    /** Visible ASCII with single spaces or tabs inside: anything else is rewritten or refused by some hop. */
    private static final Pattern VALUE = Pattern.compile("[!-~]([ \\t!-~]*[!-~])?");

    private static final Set<String> RESERVED = Set.of(
            "accept-encoding",
            "authorization",
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
            "cookie",
            "date",
            "expect",
            "forwarded",
            "host",
            "http2-settings",
            "keep-alive",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "traceparent",
            "tracestate",
            "upgrade",
            "user-agent",
            "via");

    private static final List<String> RESERVED_PREFIXES = List.of("webhook-", "ringfence-", "proxy-", "x-forwarded-");

    private final List<String> signaturePrefixes;

    /** Rules for a subscription whose signatures take headers with these prefixes. */
    HeaderRules(List<String> signaturePrefixes) {
        this.signaturePrefixes = signaturePrefixes.stream()
                .map(prefix -> prefix.toLowerCase(Locale.ROOT) + "-")
                .toList();
    }

    /** What is wrong with the name, or empty. */
    Optional<String> nameProblem(String name) {
        if (name.length() > MAX_NAME || !TOKEN.matcher(name).matches()) {
            return Optional.of("A header name is an RFC 9110 token of at most " + MAX_NAME + " characters.");
        }
        return isReserved(name) || !Outbound.isHeaderAllowed(name, "")
                ? Optional.of("This header is set by the sender or the connection.")
                : Optional.empty();
    }

    /** What is wrong with the value, or empty. Never repeats it. */
    static Optional<String> valueProblem(String value) {
        boolean fits =
                value.length() <= MAX_VALUE && VALUE.matcher(value).matches() && Outbound.isHeaderAllowed("X", value);
        return fits
                ? Optional.empty()
                : Optional.of("A header value is 1 to " + MAX_VALUE
                        + " characters of visible ASCII, spaces and tabs only between them.");
    }

    private boolean isReserved(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return RESERVED.contains(lower)
                || RESERVED_PREFIXES.stream().anyMatch(lower::startsWith)
                || signaturePrefixes.stream().anyMatch(lower::startsWith);
    }
}
