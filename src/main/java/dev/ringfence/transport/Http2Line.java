package dev.ringfence.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.ringfence.time.NanoClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hc.core5.http.nio.command.RequestExecutionCommand;
import org.apache.hc.core5.http.nio.command.ShutdownCommand;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.frame.FrameType;
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
    /** Requests at once, where the receiver permits more. */
    static final int MOST_STREAMS = 100;

    /** Then another connection is made: nothing grows for ever. */
    private static final int MOST_REQUESTS = 10_000;

    /** Beside what each open stream may bring. */
    private static final long ALLOWANCE = ExchangeHandler.MOST_RECEIVED;

    private final ProtocolIOSession session;
    private final OwnConnection place;
    private final Http2Lines lines;
    private final NanoClock clock;
    private final long settleBy;
    private final FrameLog output;
    private final ClientH2StreamMultiplexer core;
    private final PeerSettings settings = new PeerSettings();
    private final FrameCutter input = new FrameCutter();
    private final ByteBuffer preface = ByteBuffer.wrap("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    private final Map<Integer, Http2Stream> streams = new HashMap<>();
    private final Queue<Http2Stream> resets = new ConcurrentLinkedQueue<>();
    private final List<Http2Stream> drops = new ArrayList<>();

    private long allowance = ALLOWANCE;
    private boolean started;
    private boolean inHeaders;
    private volatile boolean settled;
    private volatile boolean closing;
    private volatile boolean answered;
    private int seats;
    private int taken;
    private int begun;
    private long idleSince;
    private volatile boolean leaving;

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
        this.clock = clock;
        this.output = output;
        this.core = core;
        idleSince = clock.nanos();
        settleBy = idleSince + patience.toNanos();
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
    synchronized boolean take() {
        if (!settled || closing || leaving || !session.isOpen() || taken >= seats || begun >= MOST_REQUESTS) {
            return false;
        }
        taken++;
        begun++;
        return true;
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
        allowance = Math.min(allowance, streams.size() * ALLOWANCE) + ALLOWANCE;
        return id;
    }

    /** A stream of which nothing may be sent. */
    void drop(Http2Stream stream) {
        drops.add(stream);
    }

    /** From any thread: ends a stream, not the connection. */
    void reset(Http2Stream stream) {
        resets.add(stream);
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
        boolean last;
        synchronized (this) {
            taken--;
            idleSince = clock.nanos();
            last = taken == 0 && closing;
        }
        if (last) {
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

    synchronized boolean isIdle() {
        return taken == 0;
    }

    synchronized int seats() {
        return seats;
    }

    /** Ends it where it was idle for too long, or does not begin. */
    void tidy(long now) {
        boolean over;
        boolean goodbye = false;
        synchronized (this) {
            boolean unused = taken == 0 && settled && now - idleSince >= Connections.KEEP_ALIVE.toNanos();
            boolean stuck = closing && resets.size() >= taken;
            over = leaving || stuck || !settled && now - settleBy >= 0;
            if (unused && !leaving) {
                leaving = true;
                goodbye = true;
            }
        }
        if (over) {
            kill();
        } else if (goodbye) {
            session.enqueue(ShutdownCommand.GRACEFUL, Command.Priority.IMMEDIATE);
        }
    }

    /** Whether it ended for another reason than that nobody needed it, and before it brought any answer. */
    boolean hasFailed() {
        return !settled || !answered && !leaving && isUsed();
    }

    private synchronized boolean isUsed() {
        return begun > 0;
    }

    /** Closes the connection at once, whatever is on it. */
    void kill() {
        closing = true;
        session.close(CloseMode.IMMEDIATE);
    }

    private void kill(OutcomeCode why) {
        closing = true;
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
        endStreams(ioSession);
        super.outputReady(ioSession);
        dropStreams(ioSession);
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

    /** The core resets a stream that was given up when a frame comes for it: so it gets one that nobody sent. */
    private void endStreams(IOSession ioSession) throws IOException {
        if (inHeaders && !resets.isEmpty()) {
            // It would take any frame now for a fault. No more requests, and the last one that is on it closes it.
            closing = true;
            return;
        }
        for (Http2Stream stream = resets.poll(); stream != null; stream = resets.poll()) {
            if (stream.isOpen()) {
                stream.abort();
                super.inputReady(
                        ioSession,
                        FrameCutter.head(0, FrameCutter.DATA, 0, stream.id()).flip());
            }
        }
    }

    /** A stream that was made and not begun: the receiver never hears of it, and its number stays unused. */
    private void dropStreams(IOSession ioSession) throws IOException {
        if (drops.isEmpty()) {
            return;
        }
        if (inHeaders) {
            kill(OutcomeCode.CONNECTION_BROKEN);
            return;
        }
        for (Http2Stream stream : drops) {
            ByteBuffer end = FrameCutter.head(Integer.BYTES, FrameCutter.RST_STREAM, 0, stream.id());
            super.inputReady(ioSession, end.putInt(H2Error.CANCEL.getCode()).flip());
        }
        drops.clear();
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
                super.inputReady(ioSession, adapted(frame));
                afterwards(frame);
            }
        }
        if (input.isTooLong()) {
            kill(OutcomeCode.INVALID_ACK);
        } else if (!session.isOpen()) {
            // The core found fault with it, and would wait for the receiver to close.
            kill();
        }
        if (inHeaders || !resets.isEmpty()) {
            wantsToWrite();
        }
    }

    private boolean isPermitted(FrameCutter.Frame frame) {
        allowance -= frame.length();
        if (allowance < 0) {
            kill(OutcomeCode.ACK_TOO_LARGE);
            return false;
        }
        if (!inHeaders && FrameType.valueOf(frame.type()) == null) {
            // To be ignored (RFC 9113, 5.5); the core would fall over it.
            return false;
        }
        Http2Stream stream = streams.get(frame.stream());
        if (stream != null) {
            stream.comes(frame);
        }
        return true;
    }

    private ByteBuffer adapted(FrameCutter.Frame frame) {
        if (frame.type() != FrameCutter.SETTINGS || frame.has(FrameCutter.ACK) || frame.stream() != 0) {
            return frame.whole();
        }
        ByteBuffer all = settings.merged(frame.payload());
        return FrameCutter.head(all.remaining(), FrameCutter.SETTINGS, frame.flags(), 0)
                .put(all)
                .flip();
    }

    private void afterwards(FrameCutter.Frame frame) {
        switch (frame.type()) {
            case FrameCutter.HEADERS, FrameCutter.CONTINUATION -> inHeaders = !frame.has(FrameCutter.END_HEADERS);
            case FrameCutter.SETTINGS -> settle(frame);
            case FrameCutter.GOAWAY -> goAway(frame.payload());
            case FrameCutter.RST_STREAM -> wantsHttp1(frame.payload());
            default -> {}
        }
    }

    private void settle(FrameCutter.Frame frame) {
        if (frame.has(FrameCutter.ACK)) {
            return;
        }
        synchronized (this) {
            seats = (int) Math.min(settings.streams(), MOST_STREAMS);
        }
        if (!settled && session.isOpen()) {
            settled = true;
            lines.settled(this);
        }
    }

    /** No more requests; those that the receiver says it will not look at have no answer to wait for. */
    private void goAway(ByteBuffer payload) {
        closing = true;
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
            closing = true;
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
        closing = true;
        try {
            super.disconnected(ioSession);
        } finally {
            place.release(false);
            lines.ended(this);
        }
    }
}
