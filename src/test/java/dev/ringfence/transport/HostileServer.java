package dev.ringfence.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.security.Principal;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ServerSocketFactory;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;

/** A receiver on raw sockets that answers, or not, exactly as a test says. */
final class HostileServer implements AutoCloseable {
    /** A request with this in its head is answered before its body is read. */
    static final String LEAVE_UNREAD = "leave-unread";

    private final ServerSocket listener;
    private final Opening opening;
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();

    /** What happens after each complete request. */
    interface Behaviour {
        void answer(Request request, Line line) throws IOException;
    }

    /** What happens on each connection, from its first moment. */
    interface Opening {
        void meet(Line line) throws IOException;
    }

    record Request(String head, byte[] body) {
        String path() {
            return head.split(" ")[1];
        }

        List<String> lines() {
            return head.strip().lines().toList();
        }
    }

    HostileServer(Behaviour behaviour) throws IOException {
        this(ServerSocketFactory.getDefault(), behaviour);
    }

    HostileServer(ServerSocketFactory factory, Behaviour behaviour) throws IOException {
        this.opening = line -> serve(line, behaviour);
        listener = listen(factory);
        daemon(this::accept);
    }

    private HostileServer(Opening opening) throws IOException {
        this.opening = opening;
        listener = listen(ServerSocketFactory.getDefault());
        daemon(this::accept);
    }

    /** One that does not wait for requests. */
    static HostileServer meeting(Opening opening) throws IOException {
        return new HostileServer(opening);
    }

    private static ServerSocket listen(ServerSocketFactory factory) throws IOException {
        return factory.createServerSocket(0, 100, InetAddress.getLoopbackAddress());
    }

    URI url(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    int port() {
        return listener.getLocalPort();
    }

    List<Request> requests() {
        return requests;
    }

    int accepted() {
        return accepted.get();
    }

    int openConnections() {
        return open.size();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                accepted.incrementAndGet();
                open.add(socket);
                daemon(() -> serve(socket));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            opening.meet(new Line(socket));
        } catch (IOException e) {
            // The client has gone.
        } finally {
            open.remove(socket);
        }
    }

    private void serve(Line line, Behaviour behaviour) throws IOException {
        for (Request request = line.request(); request != null; request = line.request()) {
            requests.add(request);
            behaviour.answer(request, line);
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "hostile-server");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }

    /** One connection, seen from the server. */
    static final class Line {
        private static final int DRIP_MILLIS = 20;

        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;

        Line(Socket socket) throws IOException {
            this.socket = socket;
            in = new BufferedInputStream(socket.getInputStream());
            out = socket.getOutputStream();
        }

        private Request request() throws IOException {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int c = socket.isClosed() ? -1 : in.read();
                if (c < 0) {
                    return null;
                }
                head.append((char) c);
            }
            int length = head.toString()
                    .lines()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
                    .mapToInt(line -> Integer.parseInt(
                            line.substring("content-length:".length()).strip()))
                    .findFirst()
                    .orElse(0);
            boolean unread = head.indexOf(LEAVE_UNREAD) >= 0;
            return new Request(head.toString(), unread ? new byte[0] : in.readNBytes(length));
        }

        void say(String text) throws IOException {
            say(text.getBytes(ISO_8859_1));
        }

        void say(byte[] bytes) throws IOException {
            out.write(bytes);
            out.flush();
        }

        void answer(String status, String body) throws IOException {
            say("HTTP/1.1 " + status + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        }

        void close() throws IOException {
            socket.close();
        }

        /** Reads a head to its blank line, or up to the end. */
        String head() throws IOException {
            StringBuilder head = new StringBuilder();
            for (int c = in.read(); c >= 0; c = in.read()) {
                head.append((char) c);
                if (head.indexOf("\r\n\r\n") >= 0) {
                    break;
                }
            }
            return head.toString();
        }

        /** Passes on what either side says until one has closed. */
        void relay(Socket far) throws IOException {
            daemon(() -> {
                try (far) {
                    far.getInputStream().transferTo(out);
                    socket.close();
                } catch (IOException e) {
                    // Either side has gone.
                }
            });
            in.transferTo(far.getOutputStream());
        }

        /** Who the client is by its certificate, where it showed one. */
        Optional<Principal> peer() {
            try {
                return Optional.of(((SSLSocket) socket).getSession().getPeerPrincipal());
            } catch (SSLPeerUnverifiedException e) {
                return Optional.empty();
            }
        }

        /** Reads so many bytes, or up to the end. */
        byte[] hear(int bytes) throws IOException {
            return in.readNBytes(bytes);
        }

        /** Reads one record of TLS: at first that is the whole ClientHello. */
        byte[] hearRecord() throws IOException {
            byte[] header = in.readNBytes(5);
            if (header.length < 5) {
                throw new EOFException("the client is gone");
            }
            byte[] content = in.readNBytes((header[3] & 0xff) << 8 | header[4] & 0xff);
            byte[] record = Arrays.copyOf(header, header.length + content.length);
            System.arraycopy(content, 0, record, header.length, content.length);
            return record;
        }

        /** The name that the client asked for in its TLS handshake. */
        String serverName() {
            ExtendedSSLSession session = (ExtendedSSLSession) ((SSLSocket) socket).getSession();
            return ((SNIHostName) session.getRequestedServerNames().get(0)).getAsciiName();
        }

        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        /** Says this again and again, with pauses, until the client has closed. */
        void drip(String text) throws IOException {
            while (!clientClosedWithin(DRIP_MILLIS)) {
                say(text);
            }
            close();
        }

        /** Says this without a pause until the client has closed. */
        void flood(String text) throws IOException {
            byte[] bytes = text.getBytes(ISO_8859_1);
            while (true) {
                say(bytes);
            }
        }

        /** Says nothing until the client has closed. */
        void hang() throws IOException {
            boolean closed = false;
            while (!closed) {
                closed = clientClosedWithin(60_000);
            }
            close();
        }

        private boolean clientClosedWithin(int millis) throws IOException {
            socket.setSoTimeout(millis);
            try {
                return in.read() < 0;
            } catch (SocketTimeoutException e) {
                return false;
            }
        }
    }
}
