package dev.ringfence.transport;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.concurrent.CancellableDependency;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/** One exchange's stream. But for {@link #release} and {@link #hasLeft} it belongs to the connection's thread. */
final class Http2Stream implements Seat, Carrier, CancellableDependency {
    /** What only HTTP/1.1 can say (RFC 9113, 8.2.2). */
    private static final List<String> FOREIGN =
            List.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");

    private static final long UNKNOWN = -1;

    private final Http2Line line;
    private final Exchange exchange;
    private final AtomicBoolean left = new AtomicBoolean();
    private volatile boolean asked;
    private volatile boolean headGiven;
    private volatile boolean gone;
    private volatile long headEndsAt = UNKNOWN;
    private int id;
    private long received;
    private long body;
    private long announced = UNKNOWN;
    private boolean headSeen;
    private boolean malformed;
    private boolean answerEnded;
    private @Nullable Cancellable abort;

    Http2Stream(Http2Line line, Exchange exchange) {
        this.line = line;
        this.exchange = exchange;
    }

    Exchange exchange() {
        return exchange;
    }

    int id() {
        return id;
    }

    @Override
    public HttpRequest head(Exchange of) {
        return RequestMessage.http2(of.destination(), of.outbound(), of.token());
    }

    @Override
    public void ready(HttpContext context) {
        asked = true;
        id = line.begins(this);
    }

    @Override
    public void tooLate() {
        line.drop(this);
    }

    /** Its head is given to the connection, where it may wait behind others. */
    void headGiven() {
        headGiven = true;
    }

    /** Its head is the next to be written, and has left once so many bytes have. */
    void headEndsAt(long position) {
        headEndsAt = position;
    }

    @Override
    public boolean hasLeft() {
        return !headGiven || headEndsAt != UNKNOWN && line.sent() >= headEndsAt;
    }

    /** A frame of this stream, before the core gets it. */
    void comes(FrameCutter.Frame frame) {
        received += frame.length();
        body += frame.type() == FrameCutter.DATA ? frame.payload().capacity() : 0;
        answerEnded = answerEnded || isLast(frame);
        // After an answer's head only one more may come, and it must end the stream; the core would let any other end
        // the answer.
        if (frame.type() == FrameCutter.HEADERS && headSeen && !frame.has(FrameCutter.END_STREAM)) {
            malformed = true;
        }
        if (body > Answer.CAP) {
            exchange.endAtCap();
        } else if (received > ExchangeHandler.MOST_RECEIVED) {
            exchange.fail(OutcomeCode.ACK_TOO_LARGE);
        }
    }

    private static boolean isLast(FrameCutter.Frame frame) {
        return frame.has(FrameCutter.END_STREAM)
                && (frame.type() == FrameCutter.DATA || frame.type() == FrameCutter.HEADERS);
    }

    /** Fields of an answer's head, a hint's, or of trailers. The core takes a sign in a status, and a status where none can be. */
    void fieldsCome(List<? extends Header> fields) {
        for (Header field : fields) {
            if (field.getName().equals(":status") && !field.getValue().matches("[1-9][0-9]{2}")) {
                exchange.fail(OutcomeCode.INVALID_ACK);
            }
            malformed = malformed || headSeen && field.getName().startsWith(":");
        }
    }

    @Override
    public long received() {
        return received;
    }

    @Override
    public void answerBegins(HttpResponse response) {
        headSeen = true;
        line.gotAnswer();
        List<String> lengths = Stream.of(response.getHeaders("content-length"))
                .map(Header::getValue)
                .distinct()
                .toList();
        malformed = malformed || lengths.size() > 1 || FOREIGN.stream().anyMatch(response::containsHeader);
        if (lengths.size() == 1 && lengths.get(0).matches("[0-9]{1,18}")) {
            announced = Long.parseLong(lengths.get(0));
        }
    }

    /** The core does not compare what came with what was announced. */
    @Override
    public boolean isWhole(int bodyBytes) {
        return !malformed && answerEnded && (announced == UNKNOWN || announced == bodyBytes);
    }

    /** For the core an answer may end before its stream does; such a stream is reset. */
    @Override
    public boolean keeps(Answer answer) {
        return answerEnded;
    }

    /** Ends the stream with RST_STREAM where it has not come to its end on both sides. */
    @Override
    public void release(boolean reusable) {
        if (!hasLeft()) {
            line.kill();
        } else if (!reusable && !gone) {
            line.reset(this, wasIgnored());
        }
    }

    /** Its time is over, and its request was with the receiver, or could not even begin behind what the receiver does not take. */
    private boolean wasIgnored() {
        return asked ? headGiven && exchange.isOverdue() : exchange.isTooLate();
    }

    boolean hasLeftItsSeat() {
        return left.get();
    }

    boolean isOpen() {
        return id != 0 && !gone;
    }

    /** The core then resets the stream at the next frame that it gets for it. */
    void abort() {
        if (abort != null) {
            abort.cancel();
        }
    }

    /** The core has done with it, or never got it. */
    @Override
    public void gone() {
        gone = true;
        if (left.compareAndSet(false, true)) {
            line.leave(this);
        }
    }

    @Override
    public void setDependency(Cancellable cancellable) {
        abort = cancellable;
    }

    @Override
    public boolean isCancelled() {
        return exchange.isOver();
    }

    @Override
    public boolean cancel() {
        return false;
    }
}
