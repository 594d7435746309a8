package dev.ringfence.transport;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncClientExchangeHandler;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.apache.hc.core5.http.nio.RequestChannel;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/** Asks the proxy for a tunnel to one address. Nothing of the request is in it, so a refusal proves that nothing was sent. */
final class Tunnel implements AsyncClientExchangeHandler {
    private final String target;
    private final @Nullable String authorization;
    private final FutureCallback<Integer> callback;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile int status;

    /**
     * @param callback gets the status of an answer once the exchange is over, or why there is none
     */
    Tunnel(HttpHost host, EgressProxy proxy, FutureCallback<Integer> callback) {
        this.target = target(host.getAddress(), host.getPort());
        this.authorization = proxy.authorization();
        this.callback = callback;
    }

    private static String target(InetAddress address, int port) {
        String text = address.getHostAddress();
        return (address instanceof Inet6Address ? "[" + text + "]" : text) + ":" + port;
    }

    @Override
    public void produceRequest(RequestChannel channel, HttpContext context) throws HttpException, IOException {
        BasicHttpRequest request = new BasicHttpRequest("CONNECT", null, null, target);
        request.addHeader("Host", target);
        request.addHeader("User-Agent", RequestMessage.USER_AGENT);
        if (authorization != null) {
            request.addHeader("Proxy-Authorization", authorization);
        }
        channel.sendRequest(request, null, context);
    }

    @Override
    public void consumeResponse(HttpResponse response, @Nullable EntityDetails entity, HttpContext context) {
        status = response.getCode();
        if (entity != null) {
            end();
        }
    }

    /** Whatever the proxy says beside its status is of no interest; the connection is closed. */
    @Override
    public void consume(ByteBuffer part) {}

    @Override
    public void streamEnd(@Nullable List<? extends Header> trailers) {}

    @Override
    public void consumeInformation(HttpResponse response, HttpContext context) {}

    @Override
    public int available() {
        return 0;
    }

    @Override
    public void produce(DataStreamChannel channel) {}

    @Override
    public void updateCapacity(CapacityChannel channel) throws IOException {
        channel.update(Integer.MAX_VALUE);
    }

    @Override
    public void failed(Exception cause) {
        if (ended.compareAndSet(false, true)) {
            callback.failed(cause);
        }
    }

    @Override
    public void cancel() {
        failed(new IOException("the connection to the proxy has ended"));
    }

    /** The core's last call: the connection is free for what follows. */
    @Override
    public void releaseResources() {
        if (status == 0) {
            cancel();
        } else {
            end();
        }
    }

    private void end() {
        if (ended.compareAndSet(false, true)) {
            callback.completed(status);
        }
    }
}
