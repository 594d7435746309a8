package dev.ringfence.transport;

import java.net.InetAddress;
import javax.net.ssl.SSLContext;
import org.apache.hc.core5.http.HttpHost;
import org.jspecify.annotations.Nullable;

/**
 * What a connection may be used again for: scheme, name, port <em>and address</em>, so only an address that the guard judged, and
 * one TLS context, so that nobody speaks over a connection that trusts others or shows another certificate. The proxy is one for
 * all.
 *
 * @param tls null where the scheme is http
 */
record Route(HttpHost host, @Nullable SSLContext tls) {
    static Route to(Destination to, InetAddress address, SSLContext tls) {
        return new Route(new HttpHost(to.scheme(), address, to.host(), to.port()), to.secure() ? tls : null);
    }
}
