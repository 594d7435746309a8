package dev.ringfence.transport;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.impl.DefaultConnectionReuseStrategy;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/** What came back: the head's meaning, and the body up to the cap (HT-1). */
final class Answer {
    /** Of the body's bytes as they come, never inflated. */
    static final int CAP = 8_192;

    /** What a complete 2xx answer means. */
    interface Judge {
        SendResult success(int status, byte[] body);
    }

    private static final Pattern KEEP_ALIVE_SECONDS = Pattern.compile("(?i)\\btimeout\\s*=\\s*([0-9]{1,9})\\b");

    private final Clock wallClock;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream(256);
    private int status;
    private @Nullable SendResult refusal;
    private boolean plain = true;
    private boolean framed = true;
    private boolean tooLarge;
    private boolean keepsConnection;

    Answer(Clock wallClock) {
        this.wallClock = wallClock;
    }

    void head(HttpRequest request, HttpResponse response, @Nullable EntityDetails entity, HttpContext context) {
        status = response.getCode();
        plain = hasPlainLengths(response);
        framed = (entity != null || !announcesBody(response)) && plain;
        keepsConnection = framed
                && DefaultConnectionReuseStrategy.INSTANCE.keepAlive(request, response, context)
                && grantsKeepAlive(response);
        if (!AnswerJudge.isSuccess(status)) {
            List<String> lines = headers(response, HttpHeaders.RETRY_AFTER).toList();
            refusal = AnswerJudge.refusal(status, RetryAfterParser.longest(lines, wallClock.instant()));
        }
        // One that refuses is read as far as the cap: only then is its word taken.
        tooLarge = !refuses() && entity != null && entity.getContentLength() > CAP;
    }

    /** A 204 that announces a body: what follows cannot be told from the next answer. */
    private static boolean announcesBody(HttpResponse response) {
        return response.containsHeader(HttpHeaders.TRANSFER_ENCODING)
                || headers(response, HttpHeaders.CONTENT_LENGTH).anyMatch(length -> !length.matches("0*"));
    }

    /** The core also takes a sign, and two readers could then see two different ends. */
    private static boolean hasPlainLengths(HttpResponse response) {
        return headers(response, HttpHeaders.CONTENT_LENGTH).allMatch(length -> length.matches("[0-9]+"));
    }

    private static boolean grantsKeepAlive(HttpResponse response) {
        return headers(response, HttpHeaders.KEEP_ALIVE).allMatch(value -> {
            Matcher timeout = KEEP_ALIVE_SECONDS.matcher(value);
            return !timeout.find() || Long.parseLong(timeout.group(1)) > Connections.KEEP_ALIVE.toSeconds();
        });
    }

    private static Stream<String> headers(HttpResponse response, String name) {
        return Stream.of(response.getHeaders(name)).map(Header::getValue).map(value -> value == null ? "" : value);
    }

    /** Takes a part of the body; what is beyond the cap is dropped. */
    void add(ByteBuffer part) {
        if (part.remaining() > CAP - body.size()) {
            tooLarge = true;
            return;
        }
        byte[] bytes = new byte[part.remaining()];
        part.get(bytes);
        body.writeBytes(bytes);
    }

    /** Bytes of the body so far. */
    int size() {
        return body.size();
    }

    int status() {
        return status;
    }

    boolean isTooLarge() {
        return tooLarge;
    }

    boolean keepsConnection() {
        return keepsConnection;
    }

    /** What the head says, or null where it is 2xx. */
    @Nullable
    SendResult refusal() {
        return refusal;
    }

    /** Whether the head says that the request is refused for good, which only a complete answer does. */
    boolean refuses() {
        return refusal instanceof SendResult.Failed;
    }

    /**
     * The outcome, once the answer is complete.
     *
     * @param judge of a complete 2xx answer
     * @param heard whether the receiver has got the request to its last byte, else it cannot acknowledge it; it can refuse it
     * @param whole whether its answer ended as it must
     */
    SendResult judge(Judge judge, boolean heard, boolean whole) {
        SendResult said = refusal;
        if (said instanceof SendResult.Failed failed && !(plain && whole)) {
            return new SendResult.Uncertain(OutcomeCode.INVALID_ACK, status, failed.retryAfter());
        }
        if (said != null) {
            return said;
        }
        return framed && heard && whole
                ? judge.success(status, body.toByteArray())
                : new SendResult.Uncertain(OutcomeCode.INVALID_ACK, status, null);
    }
}
