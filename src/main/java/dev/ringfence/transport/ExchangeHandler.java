package dev.ringfence.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.TruncatedChunkException;
import org.apache.hc.core5.http.impl.BasicEntityDetails;
import org.apache.hc.core5.http.nio.AsyncClientExchangeHandler;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.apache.hc.core5.http.nio.RequestChannel;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http2.H2ConnectionException;
import org.jspecify.annotations.Nullable;

/** One exchange on one connection or stream, called by the connection's thread: writes the request, reads the answer. */
final class ExchangeHandler implements AsyncClientExchangeHandler {
    /** Of all that comes back, on the wire: interim answers, head, framing and body. */
    static final long MOST_RECEIVED = 65_536;

    private final Exchange exchange;
    private final Carrier carrier;
    private final Runnable unused;
    private final ByteBuffer body;
    private final HttpRequest request;
    private final Answer answer;
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * @param unused runs where the connection ends before the request began
     */
    ExchangeHandler(Exchange exchange, Clock wallClock, Carrier carrier, Runnable unused) {
        this.exchange = exchange;
        this.carrier = carrier;
        this.unused = unused;
        body = ByteBuffer.wrap(exchange.outbound().body());
        request = carrier.head(exchange);
        answer = new Answer(wallClock);
    }

    @Override
    public void produceRequest(RequestChannel channel, HttpContext context) throws HttpException, IOException {
        carrier.ready(context);
        if (!exchange.beginSending()) {
            carrier.tooLate();
            return;
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

    /** 1xx says nothing about the outcome: the deadline runs on. It counts towards what a receiver may say. */
    @Override
    public void consumeInformation(HttpResponse response, HttpContext context) {
        endIfTooLarge();
    }

    /** Who talks without end would keep the connection's thread, which others need too. */
    private boolean endIfTooLarge() {
        if (answer.isTooLarge()) {
            exchange.endAtCap();
            return true;
        }
        boolean tooLarge = carrier.received() > MOST_RECEIVED;
        if (tooLarge) {
            exchange.fail(OutcomeCode.ACK_TOO_LARGE);
        }
        return tooLarge;
    }

    @Override
    public void consumeResponse(HttpResponse response, @Nullable EntityDetails entity, HttpContext context) {
        carrier.answerBegins(response);
        answer.head(request, response, entity, context);
        exchange.headArrived(answer.status(), answer.refusal());
        if (!endIfTooLarge() && entity == null) {
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
        endIfTooLarge();
    }

    @Override
    public void streamEnd(@Nullable List<? extends Header> trailers) {
        complete();
    }

    private void complete() {
        boolean sentWhole = !body.hasRemaining();
        SendResult result = answer.judge(exchange.judge(), sentWhole, carrier.isWhole(answer.size()));
        exchange.answered(result, carrier.keeps(answer) && sentWhole);
    }

    @Override
    public void failed(Exception cause) {
        broken(isNoHttp(cause) ? OutcomeCode.INVALID_ACK : OutcomeCode.CONNECTION_BROKEN);
    }

    /** What the core found wrong with the message itself; some of it comes as IOException. */
    private static boolean isNoHttp(Exception cause) {
        return cause instanceof HttpException
                || cause instanceof H2ConnectionException
                || cause instanceof RuntimeException
                || cause instanceof MessageConstraintException
                || cause instanceof CharacterCodingException
                || (cause instanceof MalformedChunkCodingException && !(cause instanceof TruncatedChunkException));
    }

    @Override
    public void cancel() {
        broken(OutcomeCode.CONNECTION_BROKEN);
    }

    /** The core's last call, whatever happened before. */
    @Override
    public void releaseResources() {
        carrier.gone();
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
