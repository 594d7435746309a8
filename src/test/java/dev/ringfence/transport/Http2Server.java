package dev.ringfence.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http2.hpack.HPackDecoder;

/** A receiver that speaks HTTP/2 over TLS in frames written by hand, and answers, or not, exactly as a test says. */
final class Http2Server implements AutoCloseable {
    /** After the head of a request to it nothing more is read on its connection. */
    static final String STALL = "/stall";

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PUSH_PROMISE = 5;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;
    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;
    static final int PADDED = 8;
    static final int CANCEL = 8;

    private final SSLServerSocket listener;
    private final Opening opening;
    private final Behaviour behaviour;
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final List<Reset> resets = new CopyOnWriteArrayList<>();
    private final List<String> protocols = new CopyOnWriteArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger heads = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private final List<String> paths = new CopyOnWriteArrayList<>();
    private final CountDownLatch readsOn = new CountDownLatch(1);
    private final List<Throwable> faults = new CopyOnWriteArrayList<>();

    /** Called on the connection's thread for each complete request. */
    interface Behaviour {
        void answer(Request request, Line line) throws IOException;
    }

    /** What the server says first. */
    interface Opening {
        void begin(Line line) throws IOException;
    }

    record Request(int connection, int stream, List<String> fields, byte[] body) {
        String field(String name) {
            return fields.stream()
                    .filter(field -> field.startsWith(name + ": "))
                    .map(field -> field.substring(name.length() + 2))
                    .findFirst()
                    .orElseThrow();
        }

        String path() {
            return field(":path");
        }
    }

    record Reset(int stream, int code) {}

    Http2Server(SSLContext tls, Behaviour behaviour) throws IOException {
        this(tls, line -> line.frame(SETTINGS, 0, 0), behaviour, "h2");
    }

    /**
     * @param protocols in order of preference; who chooses http/1.1 gets 200 to each request
     */
    Http2Server(SSLContext tls, Opening opening, Behaviour behaviour, String... protocols) throws IOException {
        this.opening = opening;
        this.behaviour = behaviour;
        listener = (SSLServerSocket) tls.getServerSocketFactory().createServerSocket();
        // So that one who writes to a connection that is not read soon cannot any more.
        listener.setReceiveBufferSize(65_536);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
        SSLParameters parameters = listener.getSSLParameters();
        parameters.setApplicationProtocols(protocols);
        listener.setSSLParameters(parameters);
        daemon(this::accept);
    }

    Http2Server needingCertificates() {
        listener.setNeedClientAuth(true);
        return this;
    }

    URI url(String path) {
        return URI.create("https://right.test:" + listener.getLocalPort() + path);
    }

    int port() {
        return listener.getLocalPort();
    }

    List<Request> requests() {
        return requests;
    }

    List<Reset> resets() {
        return resets;
    }

    /** What each connection speaks, and what a client did wrong. */
    List<String> protocols() {
        return protocols;
    }

    List<Throwable> faults() {
        return faults;
    }

    int accepted() {
        return accepted.get();
    }

    /** Requests whose head came, on all connections. */
    int heads() {
        return heads.get();
    }

    /** Fields {@code :path} of the heads that came. */
    List<String> paths() {
        return paths;
    }

    void readOn() {
        readsOn.countDown();
    }

    /** Most streams that were open at once on one connection. */
    int mostAtOnce() {
        return mostAtOnce.get();
    }

    int openConnections() {
        return open.size();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                int number = accepted.incrementAndGet();
                open.add(socket);
                daemon(() -> serve((SSLSocket) socket, number));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void serve(SSLSocket socket, int number) {
        try (socket) {
            socket.setTcpNoDelay(true);
            socket.startHandshake();
            protocols.add(socket.getApplicationProtocol());
            Line line = new Line(socket, number);
            if (socket.getApplicationProtocol().equals("h2")) {
                opening.begin(line);
                line.serve();
            } else {
                line.serveHttp1();
            }
        } catch (IOException e) {
            // The client has gone.
        } catch (HttpException | RuntimeException e) {
            faults.add(e);
        } finally {
            open.remove(socket);
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "http2-server");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        readOn();
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }

    /** One field, as a literal without index. */
    static byte[] field(String name, String value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(0);
        string(out, name);
        string(out, value);
        return out.toByteArray();
    }

    private static void string(ByteArrayOutputStream out, String text) {
        int length = text.length();
        if (length < 127) {
            out.write(length);
        } else {
            out.write(127);
            length -= 127;
            while (length >= 128) {
                out.write(length % 128 + 128);
                length /= 128;
            }
            out.write(length);
        }
        out.writeBytes(text.getBytes(ISO_8859_1));
    }

    /** Pairs of names and values. */
    static byte[] fields(String... pairs) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < pairs.length; i += 2) {
            out.writeBytes(field(pairs[i], pairs[i + 1]));
        }
        return out.toByteArray();
    }

    static byte[] number(int... values) {
        ByteBuffer out = ByteBuffer.allocate(4 * values.length);
        for (int value : values) {
            out.putInt(value);
        }
        return out.array();
    }

    /** Pairs of ids and values. */
    static byte[] settings(int... pairs) {
        ByteBuffer out = ByteBuffer.allocate(3 * pairs.length);
        for (int i = 0; i < pairs.length; i += 2) {
            out.putShort((short) pairs[i]).putInt(pairs[i + 1]);
        }
        return out.array();
    }

    static byte[] bytes(int type, int flags, int stream, byte... payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .putInt(payload.length << 8 | type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List.of(parts).forEach(out::writeBytes);
        return out.toByteArray();
    }

    /** One connection, seen from the server. */
    final class Line {
        private final SSLSocket socket;
        private final int number;
        private final InputStream in;
        private final OutputStream out;
        private final HPackDecoder decoder = new HPackDecoder(4_096, (Charset) null);
        private final Map<Integer, List<String>> heads = new TreeMap<>();
        private final Map<Integer, ByteArrayOutputStream> bodies = new TreeMap<>();
        private final Set<Integer> active = ConcurrentHashMap.newKeySet();
        private boolean confirms = true;
        private int last;

        Line(SSLSocket socket, int number) throws IOException {
            this.socket = socket;
            this.number = number;
            in = new BufferedInputStream(socket.getInputStream());
            out = socket.getOutputStream();
        }

        private void serveHttp1() throws IOException {
            StringBuilder head = new StringBuilder();
            for (int c = in.read(); c >= 0; c = in.read()) {
                head.append((char) c);
                if (head.indexOf("\r\n\r\n") >= 0) {
                    int length = Integer.parseInt(head.toString().replaceAll("(?s).*Content-Length: ([0-9]+).*", "$1"));
                    requests.add(new Request(
                            number, 0, List.of(":path: " + head.toString().split(" ")[1]), in.readNBytes(length)));
                    head.setLength(0);
                    out.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(US_ASCII));
                }
            }
        }

        private void serve() throws IOException, HttpException {
            String preface = new String(in.readNBytes(24), US_ASCII);
            if (!preface.equals("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")) {
                throw new IllegalStateException(preface);
            }
            while (true) {
                turn();
            }
        }

        private void turn() throws IOException, HttpException {
            byte[] head = in.readNBytes(9);
            if (head.length < 9) {
                throw new EOFException();
            }
            ByteBuffer fields = ByteBuffer.wrap(head);
            int lengthAndType = fields.getInt();
            int flags = fields.get();
            int stream = fields.getInt();
            byte[] payload = in.readNBytes(lengthAndType >>> 8);
            switch (lengthAndType & 0xff) {
                case HEADERS -> begins(stream, flags, payload);
                case DATA -> grows(stream, flags, payload);
                case SETTINGS -> {
                    if (confirms && (flags & ACK) == 0) {
                        frame(SETTINGS, ACK, 0);
                    }
                }
                case PING -> {
                    if ((flags & ACK) == 0) {
                        frame(PING, ACK, 0, payload);
                    }
                }
                case RST_STREAM -> {
                    if (stream > last) {
                        throw new IllegalStateException("a stream that never began was reset");
                    }
                    active.remove(stream);
                    resets.add(new Reset(stream, ByteBuffer.wrap(payload).getInt()));
                }
                default -> {}
            }
        }

        private void begins(int stream, int flags, byte[] payload) throws IOException, HttpException {
            if (stream <= last || stream % 2 == 0 || (flags & END_HEADERS) == 0) {
                throw new IllegalStateException("stream " + stream + " after " + last);
            }
            last = stream;
            Http2Server.this.heads.incrementAndGet();
            active.add(stream);
            mostAtOnce.accumulateAndGet(active.size(), Math::max);
            List<Header> headers = decoder.decodeHeaders(ByteBuffer.wrap(payload));
            heads.put(
                    stream,
                    headers.stream()
                            .map(header -> header.getName() + ": " + header.getValue())
                            .toList());
            bodies.put(stream, new ByteArrayOutputStream());
            paths.addAll(heads.get(stream).stream()
                    .filter(field -> field.startsWith(":path: "))
                    .toList());
            if (heads.get(stream).contains(":path: " + STALL)) {
                stall();
            }
            ends(stream, flags);
        }

        /** Reads nothing until the test says so. */
        private void stall() throws IOException {
            try {
                readsOn.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        private void grows(int stream, int flags, byte[] payload) throws IOException {
            ByteArrayOutputStream body = bodies.get(stream);
            if (body != null) {
                body.writeBytes(payload);
            }
            if (payload.length > 0) {
                frame(WINDOW_UPDATE, 0, 0, number(payload.length));
                frame(WINDOW_UPDATE, 0, stream, number(payload.length));
            }
            ends(stream, flags);
        }

        private void ends(int stream, int flags) throws IOException {
            if ((flags & END_STREAM) != 0) {
                Request request = new Request(
                        number,
                        stream,
                        heads.remove(stream),
                        bodies.remove(stream).toByteArray());
                requests.add(request);
                behaviour.answer(request, this);
            }
        }

        /** Settings are not confirmed from now on. */
        void confirmNothing() {
            confirms = false;
        }

        void say(byte[] bytes) throws IOException {
            synchronized (out) {
                out.write(bytes);
                out.flush();
            }
        }

        void frame(int type, int flags, int stream, byte... payload) throws IOException {
            say(bytes(type, flags, stream, payload));
        }

        /** A whole answer without a body. */
        void answer(int stream, int status) throws IOException {
            active.remove(stream);
            frame(HEADERS, END_HEADERS | END_STREAM, stream, fields(":status", "" + status));
        }

        void answer(int stream, int status, String body) throws IOException {
            frame(HEADERS, END_HEADERS, stream, fields(":status", "" + status));
            active.remove(stream);
            frame(DATA, END_STREAM, stream, body.getBytes(ISO_8859_1));
        }

        /** Says this again and again until the client has closed. */
        void flood(byte[] bytes) throws IOException {
            byte[] many = new byte[bytes.length * Math.max(1, 16_000 / bytes.length)];
            for (int i = 0; i < many.length; i++) {
                many[i] = bytes[i % bytes.length];
            }
            while (true) {
                say(many);
            }
        }

        /** Says this again and again, with pauses, while the client talks on, until it has closed. */
        void drip(byte[] bytes) {
            daemon(() -> {
                try {
                    socket.setSoTimeout(0);
                    while (!socket.isClosed()) {
                        say(bytes);
                        java.util.concurrent.locks.LockSupport.parkNanos(20_000_000);
                    }
                } catch (IOException e) {
                    // The client has gone.
                }
            });
        }

        void close() throws IOException {
            socket.close();
        }
    }
}
