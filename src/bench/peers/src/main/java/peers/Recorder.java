package peers;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.ConcurrentHistogram;

/** Keep-alive clients that record events over HTTP, each with one request under way: blocking sockets, bodies put together as text. */
final class Recorder {
    private final int port;
    private final String path;
    private final String key;
    private final String epoch;
    private final int clients;

    Recorder(int port, String path, String key, String epoch, int clients) {
        this.port = port;
        this.path = path;
        this.key = key;
        this.epoch = epoch;
        this.clients = clients;
    }

    /** From the sending of a request to the end of its answer, in microseconds; and how long all of it took. */
    record Result(double seconds, ConcurrentHistogram micros) {}

    /** Records the events of these numbers, batch of them a request; returns when all are answered, each with 202. */
    Result record(int first, int n, int batch) throws Exception {
        AtomicInteger next = new AtomicInteger(first);
        ConcurrentHistogram micros = new ConcurrentHistogram(60_000_000, 3);
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        List<Future<?>> all = new ArrayList<>();
        long t0 = System.nanoTime();
        try {
            for (int i = 0; i < clients; i++) {
                all.add(threads.submit(() -> {
                    try (Client c = new Client()) {
                        for (int from; (from = next.getAndAdd(batch)) < first + n; ) {
                            byte[] body = body(from, Math.min(batch, first + n - from));
                            long sent = System.nanoTime();
                            c.post(body);
                            micros.recordValue((System.nanoTime() - sent) / 1_000);
                        }
                        return null;
                    }
                }));
            }
            for (Future<?> one : all) one.get();
        } finally {
            threads.shutdownNow();
        }
        return new Result((System.nanoTime() - t0) / 1e9, micros);
    }

    private byte[] body(int first, int n) {
        String now = Instant.now().toString();
        StringBuilder s = new StringBuilder(n * 1_250).append("{\"epoch\":\"").append(epoch).append("\",\"events\":[");
        for (int id = first; id < first + n; id++) {
            if (id > first) s.append(',');
            s.append("{\"name\":\"").append(RingfencePeer.type(id % Work.ENDPOINTS)).append("\",\"aggregateType\":\"hook\",\"aggregateId\":\"")
                    .append(id).append("\",\"occurredAt\":\"").append(now).append("\",\"actor\":{\"type\":\"system\"},\"payload\":")
                    .append(Work.body(id)).append('}');
        }
        return s.append("]}").toString().getBytes(StandardCharsets.US_ASCII);
    }

    private final class Client implements AutoCloseable {
        private final Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        private final OutputStream out = socket.getOutputStream();
        private final InputStream in = new BufferedInputStream(socket.getInputStream(), 16_384);
        private final String head = "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nAuthorization: Bearer " + key
                + "\r\nContent-Type: application/json\r\nContent-Length: ";

        Client() throws IOException {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(60_000);
        }

        void post(byte[] body) throws IOException {
            byte[] h = (head + body.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
            byte[] all = java.util.Arrays.copyOf(h, h.length + body.length);
            System.arraycopy(body, 0, all, h.length, body.length);
            out.write(all);
            String status = line();
            int length = -1;
            for (String l; !(l = line()).isEmpty(); ) {
                if (l.regionMatches(true, 0, "content-length:", 0, 15)) length = Integer.parseInt(l.substring(15).trim());
            }
            String answer = new String(length >= 0 ? in.readNBytes(length) : chunks(), StandardCharsets.UTF_8);
            if (!status.startsWith("HTTP/1.1 202")) throw new IOException(status + " " + answer);
        }

        private byte[] chunks() throws IOException {
            java.io.ByteArrayOutputStream whole = new java.io.ByteArrayOutputStream();
            for (int size; (size = Integer.parseInt(line().split(";")[0].trim(), 16)) > 0; line()) whole.write(in.readNBytes(size));
            line();
            return whole.toByteArray();
        }

        private String line() throws IOException {
            StringBuilder s = new StringBuilder(64);
            for (int c; (c = in.read()) != '\n'; ) {
                if (c < 0) throw new IOException("closed by the server");
                if (c != '\r') s.append((char) c);
            }
            return s.toString();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
