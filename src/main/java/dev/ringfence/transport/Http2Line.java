package dev.ringfence.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.ringfence.time.NanoClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hc.core5.http.nio.command.RequestExecutionCommand;
import org.apache.hc.core5.http.nio.command.ShutdownCommand;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.impl.nio.ClientH2IOEventHandler;
import org.apache.hc.core5.http2.impl.nio.ClientH2StreamMultiplexer;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.Command;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.ProtocolIOSession;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection. The core speaks the protocol; between it and the socket, this bounds what a receiver may say, and makes up
 * for what the core does not do.
 */
final class Http2Line extends ClientH2IOEventHandler {
    private final ProtocolIOSession session;
    private final OwnConnection place;
    private final Http2Lines lines;
    private final long settleBy;
    private final FrameLog output;
    private final ClientH2StreamMultiplexer core;
    private final Seats seats;
    private final Doubt doubt;
    private final Incoming input = new Incoming();
    private final Endings endings = new Endings();
    private final ByteBuffer preface = ByteBuffer.wrap("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    private final Map<Integer, Http2Stream> streams = new HashMap<>();

    private boolean started;
    private boolean settings;
    private boolean confirmed;
    private volatile boolean settled;
    private volatile boolean answered;

    Http2Line(ProtocolIOSession session, OwnConnection place, Http2Lines lines, NanoClock clock, Duration patience) {
        this(session, place, lines, clock, patience, new FrameLog());
    }

    private Http2Line(
            ProtocolIOSession session,
            OwnConnection place,
            Http2Lines lines,
            NanoClock clock,
            Duration patience,
            FrameLog output) {
        this(session, place, lines, clock, patience, output, Http2Core.on(session, output));
    }

    private Http2Line(
            ProtocolIOSession session,
            OwnConnection place,
            Http2Lines lines,
            NanoClock clock,
            Duration patience,
            FrameLog output,
            ClientH2StreamMultiplexer core) {
        super(core);
        this.session = session;
        this.place = place;
        this.lines = lines;
        this.output = output;
        this.core = core;
        seats = new Seats(clock);
        doubt = new Doubt(session, clock);
        settleBy = clock.nanos() + patience.toNanos();
    }

    Route route() {
        return place.entry().getRoute();
    }

    /** Takes over the connection, TLS done. */
    void begin() {
        session.upgrade(this);
        wantsToWrite();
    }

    /** A seat for one more request, false where there is none. */
    boolean take() {
        return settled && !doubt.stands() && session.isOpen() && seats.take();
    }

    /** Has the exchange, which took a seat, carried. */
    void carry(Exchange exchange, Clock wallClock, Runnable unused) {
        Http2Stream stream = new Http2Stream(this, exchange);
        if (!exchange.hold(stream)) {
            stream.gone();
            return;
        }
        ExchangeHandler handler = new ExchangeHandler(exchange, wallClock, stream, unused);
        session.enqueue(
                new RequestExecutionCommand(handler, null, stream, HttpCoreContext.create()), Command.Priority.NORMAL);
    }

    /** The core has made a stream and asks for its request. */
    int begins(Http2Stream stream) {
        int id = output.newest();
        streams.put(id, stream);
        output.watch(id, stream);
        input.mayBring(streams.size());
        return id;
    }

    /** A stream of which nothing may be sent. */
    void drop(Http2Stream stream) {
        endings.drop(stream);
    }

    /**
     * From any thread: ends a stream, not the connection.
     *
     * @param ignored whether the receiver had its time and did not answer; then there are no more requests for it here until it shows
     *     that it reads
     */
    void reset(Http2Stream stream, boolean ignored) {
        seats.giveUp(stream);
        endings.reset(stream);
        if (ignored) {
            doubt.raise();
        }
        wantsToWrite();
    }

    private void wantsToWrite() {
        try {
            session.setEvent(SelectionKey.OP_WRITE);
        } catch (CancelledKeyException e) {
            // It was closed, perhaps just now by another thread: nothing is left to be said on it.
        }
    }

    void leave(Http2Stream stream) {
        if (stream.id() != 0) {
            streams.remove(stream.id());
            output.forget(stream.id());
        }
        if (seats.leave(stream)) {
            kill();
        }
    }

    /** Bytes of frames that were handed on. */
    long sent() {
        return core.getEndpointDetails().getSentBytesCount();
    }

    void gotAnswer() {
        answered = true;
    }

    boolean isIdle() {
        return seats.areFree();
    }

    int seats() {
        return seats.permitted();
    }

    boolean isDoubted() {
        return doubt.stands();
    }

    /** Ends it where it was idle for too long, does not begin, or is silent and has nobody left who waits. */
    void tidy(long now) {
        boolean late = !settled && now - settleBy >= 0;
        boolean stuck = seats.areClosed() && seats.areDeserted();
        if (late || stuck || seats.areLeft()) {
            kill();
        } else if (doubt.isOld(now) && seats.areDeserted()) {
            // Not for want of HTTP/2: the next connection may speak it.
            seats.leave();
            kill();
        } else if (settled && seats.areUnused(now) && seats.leave()) {
            session.enqueue(ShutdownCommand.GRACEFUL, Command.Priority.IMMEDIATE);
        }
    }

    /** Whether it ended for another reason than that nobody needed it, and before it brought any answer. */
    boolean hasFailed() {
        return !settled || !answered && !seats.areLeft() && seats.wereUsed();
    }

    /** Closes the connection at once, whatever is on it. */
    void kill() {
        seats.close();
        session.close(CloseMode.IMMEDIATE);
    }

    private void kill(OutcomeCode why) {
        seats.close();
        List.copyOf(streams.values()).forEach(stream -> stream.exchange().fail(why));
        kill();
    }

    @Override
    public void connected(IOSession ioSession) {
        // Begins with outputReady, where there is room for it.
    }

    @Override
    public void outputReady(IOSession ioSession) throws IOException {
        if (!started && !start(ioSession)) {
            return;
        }
        endStreams(frame -> super.inputReady(ioSession, frame));
        super.outputReady(ioSession);
        dropStreams(frame -> super.inputReady(ioSession, frame));
    }

    private boolean start(IOSession ioSession) throws IOException {
        ioSession.write(preface);
        started = !preface.hasRemaining();
        if (started) {
            super.connected(ioSession);
            cut(ioSession);
        }
        return started;
    }

    private void endStreams(Endings.Core to) throws IOException {
        if (input.isInHeaders() && endings.haveResets()) {
            // No more requests, and the last one that is on it closes it.
            seats.close();
        } else {
            endings.writeResets(to);
        }
    }

    private void dropStreams(Endings.Core to) throws IOException {
        if (input.isInHeaders() && endings.haveDrops()) {
            kill(OutcomeCode.CONNECTION_BROKEN);
        } else {
            endings.forgetDrops(to);
        }
    }

    @Override
    public void inputReady(IOSession ioSession, @Nullable ByteBuffer part) throws IOException {
        if (part != null && !session.isOpen()) {
            // It is being closed in an orderly way, and the receiver talks on.
            kill();
        } else if (part != null) {
            input.add(part);
            if (started) {
                cut(ioSession);
            } else if (input.isTooLong()) {
                kill(OutcomeCode.INVALID_ACK);
            }
        } else if (started) {
            super.inputReady(ioSession, null);
        } else {
            kill();
        }
    }

    private void cut(IOSession ioSession) throws IOException {
        while (session.isOpen() && input.hasNext()) {
            FrameCutter.Frame frame = input.next();
            if (isPermitted(frame)) {
                super.inputReady(ioSession, input.adapted(frame));
                input.passed(frame);
                afterwards(frame);
            }
        }
        if (input.isTooLong()) {
            kill(OutcomeCode.INVALID_ACK);
        } else if (!session.isOpen()) {
            // The core found fault with it, and would wait for the receiver to close.
            kill();
        }
        if (input.isInHeaders() || endings.haveResets()) {
            wantsToWrite();
        }
    }

    private boolean isPermitted(FrameCutter.Frame frame) {
        if (input.isTooMuch()) {
            kill(OutcomeCode.ACK_TOO_LARGE);
            return false;
        }
        if (input.isForeign(frame)) {
            return false;
        }
        Http2Stream stream = streams.get(frame.stream());
        if (stream != null) {
            stream.comes(frame);
        }
        return true;
    }

    private void afterwards(FrameCutter.Frame frame) {
        switch (frame.type()) {
            case FrameCutter.SETTINGS -> settle(frame);
            case FrameCutter.GOAWAY -> goAway(frame.payload());
            case FrameCutter.RST_STREAM -> wantsHttp1(frame.payload());
            default -> {}
        }
    }

    /** The core begins no request before the receiver has said what it permits, and confirmed what we do. */
    private void settle(FrameCutter.Frame frame) {
        if (frame.has(FrameCutter.ACK)) {
            confirmed = true;
        } else {
            settings = true;
            seats.permit(input.streams());
        }
        if (settings && confirmed && !settled && session.isOpen()) {
            settled = true;
            lines.settled(this);
        }
    }

    /** No more requests; those that the receiver says it will not look at have no answer to wait for. */
    private void goAway(ByteBuffer payload) {
        seats.close();
        int last = payload.getInt(0) & 0x7fffffff;
        List.copyOf(streams.values()).stream()
                .filter(stream -> stream.id() > last)
                .forEach(stream -> stream.exchange().fail(OutcomeCode.CONNECTION_BROKEN));
        if (isIdle()) {
            kill();
        }
    }

    private void wantsHttp1(ByteBuffer payload) {
        if (payload.getInt(0) == H2Error.HTTP_1_1_REQUIRED.getCode()) {
            seats.close();
            lines.speaksHttp1(route());
        }
    }

    @Override
    public void exception(IOSession ioSession, Exception cause) {
        super.exception(ioSession, cause);
        kill();
    }

    @Override
    public void timeout(IOSession ioSession, Timeout timeout) {
        kill();
    }

    @Override
    public void disconnected(IOSession ioSession) {
        seats.close();
        try {
            super.disconnected(ioSession);
        } finally {
            place.release(false);
            lines.ended(this);
        }
    }
}
