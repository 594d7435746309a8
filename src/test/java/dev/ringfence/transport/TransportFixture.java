package dev.ringfence.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ringfence.time.ClockProducer;
import dev.ringfence.time.SteerableNanoClock;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A transport as the application makes it, with names and clock in the test's hands. */
final class TransportFixture implements AutoCloseable {
    static final byte[] BODY = "{\"appId\":\"shop\",\"type\":\"order.paid\",\"text\":\"Zoë\"}".getBytes(UTF_8);
    static final Duration SHORT = Duration.ofMillis(1_500);
    static final Duration AMPLE = Duration.ofSeconds(20);

    final SteerableNanoClock clock = new SteerableNanoClock();
    final DestinationGuard guard;
    final HttpTransport transport;

    TransportFixture() throws NoSuchAlgorithmException {
        this(TransportFixture::noName, SSLContext.getDefault(), 64);
    }

    TransportFixture(NameResolver.NameService names, SSLContext tls, int connections) {
        this(names, tls, connections, null);
    }

    TransportFixture(NameResolver.NameService names, SSLContext tls, int connections, @Nullable EgressProxy proxy) {
        this(names, tls, connections, proxy, true);
    }

    TransportFixture(
            NameResolver.NameService names,
            SSLContext tls,
            int connections,
            @Nullable EgressProxy proxy,
            boolean http2) {
        guard = new DestinationGuard(
                new EgressAllow(List.of("127.0.0.0/8")), new NameResolver(names, clock, Thread::new));
        transport = new HttpTransport(guard, clock, ClockProducer.utcMicros(), connections, tls, proxy, http2);
    }

    static InetAddress[] noName(String host) throws UnknownHostException {
        throw new UnknownHostException(host);
    }

    SendResult post(URI url) throws Exception {
        return post(url, AMPLE);
    }

    SendResult post(URI url, Duration timeout) throws Exception {
        return post(outbound(url, timeout, AckProfile.STATUS));
    }

    /** The result; a result that does not come fails the test, not this wait. */
    SendResult post(Outbound outbound) throws Exception {
        return transport.send(outbound).get(30, TimeUnit.SECONDS);
    }

    Outbound outbound(URI url, Duration timeout, AckProfile ack) {
        return new Outbound(url, Map.of(), BODY, timeout, clock.nanos() + timeout.toNanos(), ack);
    }

    @Override
    public void close() {
        transport.close();
        guard.close();
    }
}
