package dev.ringfence.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.impl.BasicEntityDetails;
import org.apache.hc.core5.http.nio.AsyncClientExchangeHandler;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.apache.hc.core5.http.nio.RequestChannel;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/** One exchange on one connection, called by the connection's thread: writes the request, reads the answer. */
final class ExchangeHandler implements AsyncClientExchangeHandler {
    private final Exchange exchange;
    private final Runnable unused;
    private final ByteBuffer body;
    private final HttpRequest request;
    private final Answer answer;
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * @param unused runs where the connection ends before the request began
     */
    ExchangeHandler(Exchange exchange, Clock wallClock, Runnable unused) {
        this.exchange = exchange;
        this.unused = unused;
        body = ByteBuffer.wrap(exchange.outbound().body());
        request = RequestMessage.of(exchange.destination(), exchange.outbound());
        answer = new Answer(wallClock);
    }

    @Override
    public void produceRequest(RequestChannel channel, HttpContext context) throws HttpException, IOException {
        if (!exchange.beginSending()) {
            throw new ConnectionClosedException("too late to send");
        }
        channel.sendRequest(request, new BasicEntityDetails(body.remaining(), null), context);
    }

    @Override
    public int available() {
        return body.remaining();
    }

    @Override
    public void produce(DataStreamChannel channel) throws IOException {
        channel.write(body);
        if (!body.hasRemaining()) {
            channel.endStream();
        }
    }

    /** 1xx says nothing about the outcome, however often it comes: the deadline runs on. */
    @Override
    public void consumeInformation(HttpResponse response, HttpContext context) {}

    @Override
    public void consumeResponse(HttpResponse response, @Nullable EntityDetails entity, HttpContext context) {
        answer.head(request, response, entity, context);
        exchange.headArrived(answer.status(), answer.refusal());
        if (answer.isTooLarge()) {
            exchange.fail(OutcomeCode.ACK_TOO_LARGE);
        } else if (entity == null) {
            complete();
        }
    }

    @Override
    public void updateCapacity(CapacityChannel channel) throws IOException {
        channel.update(Integer.MAX_VALUE);
    }

    @Override
    public void consume(ByteBuffer part) {
        answer.add(part);
        if (answer.isTooLarge()) {
            exchange.fail(OutcomeCode.ACK_TOO_LARGE);
        }
    }

    @Override
    public void streamEnd(@Nullable List<? extends Header> trailers) {
        complete();
    }

    private void complete() {
        boolean sentWhole = !body.hasRemaining();
        SendResult result = answer.judge(exchange.outbound().ack(), exchange.appIds(), sentWhole);
        exchange.answered(result, answer.keepsConnection() && sentWhole);
    }

    @Override
    public void failed(Exception cause) {
        broken(cause instanceof HttpException ? OutcomeCode.INVALID_ACK : OutcomeCode.CONNECTION_BROKEN);
    }

    @Override
    public void cancel() {
        broken(OutcomeCode.CONNECTION_BROKEN);
    }

    /** The core's last call, whatever happened before. */
    @Override
    public void releaseResources() {
        broken(OutcomeCode.CONNECTION_BROKEN);
    }

    private void broken(OutcomeCode code) {
        if (exchange.isOver() || !ended.compareAndSet(false, true)) {
            return;
        }
        if (exchange.isBeforeFirstByte()) {
            unused.run();
        } else {
            exchange.fail(code);
        }
    }
}
