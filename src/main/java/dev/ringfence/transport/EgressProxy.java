package dev.ringfence.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URLDecoder;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The proxy through which everything leaves ({@code ringfence.egress.proxy}): each connection is a tunnel, made with CONNECT to
 * the address that the guard judged, also for http.
 *
 * @param authorization the value of {@code Proxy-Authorization}, null where it asks for none
 */
record EgressProxy(String host, int port, @Nullable String authorization) {
    /** Reads {@code http://[user:password@]host:port}; the settings have checked its form. */
    static EgressProxy parse(String url) {
        URI uri = URI.create(url);
        String userInfo = uri.getRawUserInfo();
        String host = uri.getHost();
        if (host == null || uri.getPort() < 1) {
            throw new IllegalArgumentException("ringfence.egress.proxy has no host or no port");
        }
        return new EgressProxy(
                host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
                uri.getPort(),
                userInfo == null ? null : basic(userInfo));
    }

    private static String basic(String userInfo) {
        int colon = userInfo.indexOf(':');
        String user = decoded(colon < 0 ? userInfo : userInfo.substring(0, colon));
        String password = colon < 0 ? "" : decoded(userInfo.substring(colon + 1));
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(UTF_8));
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
    }

    /** Never shows the credentials. */
    @Override
    public String toString() {
        return "EgressProxy[" + host + ":" + port + "]";
    }
}
