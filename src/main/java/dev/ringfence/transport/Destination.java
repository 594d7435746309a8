package dev.ringfence.transport;

import dev.ringfence.transport.DestinationNotAllowed.Reason;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A URL taken apart, strictly: whatever two parsers could read differently is refused, so that what was checked is what
 * is connected to.
 *
 * @param host in lower case; an IPv6 address without brackets
 * @param literal the address, where the host is one
 * @param target path and query, as given
 */
record Destination(boolean secure, String host, @Nullable InetAddress literal, int port, String target) {
    private static final int MAX_LENGTH = 2048;
    private static final int MAX_PORT = 65_535;
    private static final int HTTP = 80;
    private static final int HTTPS = 443;
    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://.*");
    private static final Pattern AUTHORITY = Pattern.compile("(\\[[^\\]]*]|[^:\\[\\]]*)(?::([0-9]*))?");
    private static final String LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
    private static final Pattern NAME = Pattern.compile("(?=.{1,253}$)" + LABEL + "(?:\\." + LABEL + ")*");

    /** Throws DestinationNotAllowed for anything but a plain http or https URL. */
    static Destination parse(String url) {
        Matcher scheme = SCHEME.matcher(url);
        if (url.length() > MAX_LENGTH || !url.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '\\')) {
            throw new DestinationNotAllowed(Reason.MALFORMED);
        }
        if (!scheme.matches()) {
            throw new DestinationNotAllowed(Reason.MALFORMED);
        }
        if (url.indexOf('#') >= 0) {
            throw new DestinationNotAllowed(Reason.FRAGMENT);
        }
        boolean secure = isSecure(scheme.group(1));
        String rest = url.substring(scheme.end(1) + "://".length());
        int end = endOfAuthority(rest);
        Destination destination = of(secure, rest.substring(0, end), rest.substring(end));
        destination.mustAgreeWith(url);
        return destination;
    }

    private static boolean isSecure(String scheme) {
        return switch (scheme.toLowerCase(Locale.ROOT)) {
            case "https" -> true;
            case "http" -> false;
            default -> throw new DestinationNotAllowed(Reason.SCHEME);
        };
    }

    private static int endOfAuthority(String rest) {
        for (int i = 0; i < rest.length(); i++) {
            if (rest.charAt(i) == '/' || rest.charAt(i) == '?') {
                return i;
            }
        }
        return rest.length();
    }

    private static Destination of(boolean secure, String authority, String target) {
        if (authority.indexOf('@') >= 0) {
            throw new DestinationNotAllowed(Reason.USER_INFO);
        }
        Matcher parts = AUTHORITY.matcher(authority);
        if (!parts.matches()) {
            throw new DestinationNotAllowed(authority.startsWith("[") ? Reason.HOST : Reason.PORT);
        }
        String host = parts.group(1).toLowerCase(Locale.ROOT);
        boolean bracketed = host.startsWith("[");
        if (bracketed) {
            host = host.substring(1, host.length() - 1);
        }
        InetAddress literal = IpText.parse(host);
        if (bracketed ? literal == null || host.indexOf(':') < 0 : literal == null && !isName(host)) {
            throw new DestinationNotAllowed(Reason.HOST);
        }
        String path = target.startsWith("/") ? target : "/" + target;
        return new Destination(secure, host, literal, port(parts.group(2), secure), path);
    }

    private static boolean isName(String host) {
        return NAME.matcher(host).matches() && !IpText.looksNumeric(host);
    }

    private static int port(@Nullable String digits, boolean secure) {
        if (digits == null) {
            return secure ? HTTPS : HTTP;
        }
        int port = digits.isEmpty() || digits.length() > 5 ? 0 : Integer.parseInt(digits);
        if (port < 1 || port > MAX_PORT) {
            throw new DestinationNotAllowed(Reason.PORT);
        }
        return port;
    }

    /** A second parser must see the same. */
    private void mustAgreeWith(String url) {
        try {
            URI uri = new URI(url);
            String uriHost = uri.getHost();
            boolean same = uriHost != null
                    && uriHost.equalsIgnoreCase(isIpv6() ? "[" + host + "]" : host)
                    && (uri.getPort() == -1 || uri.getPort() == port);
            if (!same) {
                throw new DestinationNotAllowed(Reason.HOST);
            }
        } catch (URISyntaxException e) {
            throw new DestinationNotAllowed(Reason.MALFORMED);
        }
    }

    private boolean isIpv6() {
        return host.indexOf(':') >= 0;
    }

    String scheme() {
        return secure ? "https" : "http";
    }

    /** The port, or -1 where it is the scheme's own. */
    int urlPort() {
        return port == (secure ? HTTPS : HTTP) ? -1 : port;
    }

    /** The value of the Host header. */
    String hostHeader() {
        String name = isIpv6() ? "[" + host + "]" : host;
        return urlPort() < 0 ? name : name + ":" + port;
    }
}
