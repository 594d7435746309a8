package dev.ringfence.transport;

import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.jspecify.annotations.Nullable;

/** The head of a POST: a Host, a length, a type, a sender, and what the caller adds. Nothing else is sent. */
final class RequestMessage {
    /** Major and minor number of the product. */
    static final String USER_AGENT = "Ringfence/0.1";

    private RequestMessage() {}

    static HttpRequest of(Destination destination, Outbound outbound, @Nullable AccessToken token) {
        BasicHttpRequest request = new BasicHttpRequest("POST", null, null, destination.target());
        request.addHeader("Host", destination.hostHeader());
        request.addHeader("Content-Length", outbound.body().length);
        addDefault(request, outbound, "Content-Type", "application/json");
        addDefault(request, outbound, "User-Agent", USER_AGENT);
        outbound.headers().forEach(request::addHeader);
        if (token != null) {
            request.setHeader("Authorization", token.authorization());
        }
        return request;
    }

    private static void addDefault(BasicHttpRequest request, Outbound outbound, String name, String value) {
        if (outbound.headers().keySet().stream().noneMatch(name::equalsIgnoreCase)) {
            request.addHeader(name, value);
        }
    }
}
