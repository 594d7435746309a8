package dev.ringfence.campaign;

import dev.ringfence.campaign.RaceHistory.Arrival;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A connection of the race's receiver: one request after the other, each with the position of its first byte. */
final class RaceConnection {
    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d+)");
    private static final Pattern ID = Pattern.compile("(?i)\r\nwebhook-id: *([^\r]+)");
    private static final Pattern TENANT = Pattern.compile("\"raceTenant\" *: *\"([^\"]+)\"");
    private static final Pattern EPOCH = Pattern.compile("\"raceEpoch\" *: *\"([^\"]+)\"");

    /** What a look at the socket brought. */
    enum Outcome {
        NOTHING,
        COMPLETE,
        BROKEN_OFF
    }

    private final SocketChannel channel;
    private final LongSupplier positions;
    private final boolean kept;
    private final ByteBuffer chunk = ByteBuffer.allocate(16_384);
    private final ByteArrayOutputStream request = new ByteArrayOutputStream();
    private long position;
    private boolean complete;
    private int status;

    /** @param kept whether there may be more requests after the first */
    RaceConnection(SocketChannel channel, LongSupplier positions, boolean kept) {
        this.channel = channel;
        this.positions = positions;
        this.kept = kept;
    }

    /** Reads all that is there now. */
    Outcome read() {
        if (!channel.isOpen()) {
            return Outcome.NOTHING;
        }
        boolean over = readAll();
        boolean before = complete;
        complete = complete || isComplete();
        if (over) {
            close();
        }
        if (complete) {
            return before ? Outcome.NOTHING : Outcome.COMPLETE;
        }
        return over && position > 0 ? Outcome.BROKEN_OFF : Outcome.NOTHING;
    }

    private boolean readAll() {
        try {
            int read = channel.read(chunk.clear());
            while (read > 0) {
                if (position == 0) {
                    position = positions.getAsLong();
                }
                request.write(chunk.array(), 0, read);
                read = channel.read(chunk.clear());
            }
            return read < 0;
        } catch (IOException reset) {
            return true;
        }
    }

    private boolean isComplete() {
        String text = text();
        int head = text.indexOf("\r\n\r\n");
        return head >= 0 && request.size() >= head + 4 + Integer.parseInt(found(LENGTH, "0"));
    }

    /** Bytes as characters, so that lengths agree. */
    private String text() {
        return request.toString(StandardCharsets.ISO_8859_1);
    }

    private String found(Pattern pattern, String otherwise) {
        Matcher matcher = pattern.matcher(text());
        return matcher.find() ? matcher.group(1).strip() : otherwise;
    }

    String messageId() {
        return found(ID, "");
    }

    Arrival arrival(int reserved, int answer) {
        return new Arrival(position, messageId(), found(TENANT, ""), found(EPOCH, ""), reserved, answer);
    }

    void decided(int answer) {
        status = answer;
    }

    /** Answers, or closes the connection where that was decided. */
    void answer() {
        if (status == 0) {
            close();
            return;
        }
        String reason = status == 200 ? "OK" : "Service Unavailable";
        byte[] head = ("HTTP/1.1 " + status + " " + reason + "\r\nContent-Length: 0\r\n"
                        + (kept ? "" : "Connection: close\r\n") + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        request.reset();
        position = 0;
        complete = false;
        try {
            channel.write(ByteBuffer.wrap(head));
            if (!kept) {
                close();
            }
        } catch (IOException gone) {
            close();
        }
    }

    private void close() {
        try {
            channel.close();
        } catch (IOException closed) {
            // It is gone either way.
        }
    }
}
