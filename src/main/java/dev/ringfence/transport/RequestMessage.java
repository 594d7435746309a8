package dev.ringfence.transport;

import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.net.URIAuthority;
import org.jspecify.annotations.Nullable;

/** The head of a POST: a Host, a length, a type, a sender, and what the caller adds. Nothing else is sent. */
final class RequestMessage {
    /** Major and minor number of the product. */
    static final String USER_AGENT = "Ringfence/0.1";

    private RequestMessage() {}

    static HttpRequest of(Destination destination, Outbound outbound, @Nullable AccessToken token) {
        BasicHttpRequest request = new BasicHttpRequest("POST", null, null, destination.target());
        request.addHeader("Host", destination.hostHeader());
        addFields(request, outbound, token);
        return request;
    }

    /** For HTTP/2, which says in fields of its own where it goes, and wants no blanks around values. */
    static HttpRequest http2(Destination destination, Outbound outbound, @Nullable AccessToken token) {
        BasicHttpRequest request = new BasicHttpRequest(
                "POST",
                destination.scheme(),
                new URIAuthority(destination.host(), destination.urlPort()),
                destination.target());
        addFields(request, outbound, token);
        return request;
    }

    private static void addFields(BasicHttpRequest request, Outbound outbound, @Nullable AccessToken token) {
        request.addHeader("Content-Length", outbound.body().length);
        addDefault(request, outbound, "Content-Type", "application/json");
        addDefault(request, outbound, "User-Agent", USER_AGENT);
        outbound.headers().forEach((name, value) -> request.addHeader(name, value.strip()));
        if (token != null) {
            request.setHeader("Authorization", token.authorization());
        }
    }

    private static void addDefault(BasicHttpRequest request, Outbound outbound, String name, String value) {
        if (outbound.headers().keySet().stream().noneMatch(name::equalsIgnoreCase)) {
            request.addHeader(name, value);
        }
    }
}
