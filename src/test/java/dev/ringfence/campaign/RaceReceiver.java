package dev.ringfence.campaign;

import dev.ringfence.campaign.RaceHistory.Arrival;
import dev.ringfence.harness.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A receiver whose log knows no clock: it counts first bytes. One thread does everything, so the order of its log is the order in which
 * it read, and when a fencing transaction asks where the log is ({@link RaceJournal}), it first reads whatever has reached it.
 *
 * <p>It has two addresses. The wide one takes every connection at once; the narrow one has a short queue and takes what waits there
 * only now and then, so that a connection takes up to seconds and the first byte leaves long after its reservation. What was written to
 * it and has not arrived, since the queue was full when its handshake ended, is asked of the kernel ({@link SenderQueues}) and counts
 * from the sweep that found it there.
 *
 * <p>Its answers are good, bad, late or none at all, by dice.
 */
final class RaceReceiver implements AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(10);

    private final Random dice;
    private final Selector selector;
    private final ServerSocketChannel wide;
    private final ServerSocketChannel narrow;
    private final Connection database;
    private final Thread thread;
    private final List<Arrival> arrivals = new ArrayList<>();
    private final Map<Long, Long> sweeps = new HashMap<>();
    private final TreeMap<Long, List<RaceConnection>> due = new TreeMap<>();
    /** By the sender's port: where in the log the bytes are that had left and not arrived. */
    private final Map<Integer, Long> written = new HashMap<>();

    private long foundWritten;
    private long position;
    private long ticks;
    private long doorOpens;
    private volatile boolean running = true;
    private volatile @Nullable Exception broken;

    private RaceReceiver(TestDatabase database, long seed) throws IOException {
        this.dice = new Random(seed);
        this.database = database.connect();
        selector = Selector.open();
        wide = listen(1024);
        wide.register(selector, SelectionKey.OP_ACCEPT);
        narrow = listen(1);
        thread = new Thread(this::run, "race-receiver");
    }

    /** A receiver on two free ports of 127.0.0.1; the journal is installed already. */
    static RaceReceiver start(TestDatabase database, long seed) {
        try {
            RaceReceiver receiver = new RaceReceiver(database, seed);
            receiver.thread.start();
            return receiver;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ServerSocketChannel listen(int backlog) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open();
        channel.configureBlocking(false);
        return channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), backlog);
    }

    URI wideUrl() {
        return url(wide);
    }

    URI narrowUrl() {
        return url(narrow);
    }

    private static URI url(ServerSocketChannel channel) {
        return URI.create("http://127.0.0.1:" + channel.socket().getLocalPort() + "/hook");
    }

    /** How many requests were read so far. */
    synchronized int count() {
        return arrivals.size();
    }

    /** How many requests had left before a sweep and reached us behind it. */
    synchronized long overtaken() {
        return foundWritten;
    }

    /** Where in the log each fencing transaction's ticket was answered. */
    synchronized Map<Long, Long> sweeps() {
        return Map.copyOf(sweeps);
    }

    /** What came in. Fails where the receiver broke: its log would prove nothing. */
    synchronized List<Arrival> arrivals() {
        if (broken != null) {
            throw new IllegalStateException("the receiver broke", broken);
        }
        return List.copyOf(arrivals);
    }

    private void run() {
        try {
            while (running) {
                selector.select(TICK.toMillis());
                round();
            }
        } catch (IOException | SQLException | RuntimeException e) {
            broken = e;
        }
    }

    private synchronized void round() throws IOException, SQLException {
        accept(wide);
        if (ticks >= doorOpens) {
            accept(narrow);
            doorOpens = ticks + 20 + dice.nextInt(dice.nextInt(4) == 0 ? 500 : 130);
        }
        List<RaceConnection> read = new ArrayList<>();
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.attachment() instanceof RaceConnection connection) {
                read.add(connection);
            }
        }
        selector.selectedKeys().clear();
        take(read);
        tick();
    }

    /** Now and then, however much there is to read: tickets, answers that are due. */
    private void tick() throws IOException, SQLException {
        long now = System.nanoTime() / TICK.toNanos();
        if (now == ticks) {
            return;
        }
        ticks = now;
        for (long ticket : open()) {
            sweep(ticket);
        }
        for (List<RaceConnection> late : List.copyOf(due.headMap(ticks, true).values())) {
            late.forEach(RaceConnection::answer);
        }
        due.headMap(ticks, true).clear();
    }

    /** A sequence shows at once what transactions that are still open took from it. */
    private List<Long> open() throws SQLException {
        List<Long> open = new ArrayList<>();
        try (var statement = database.createStatement();
                var rows = statement.executeQuery("select last_value, is_called from race.tickets")) {
            rows.next();
            for (long ticket = sweeps.size() + 1L; rows.getBoolean(2) && ticket <= rows.getLong(1); ticket++) {
                open.add(ticket);
            }
        }
        return open;
    }

    /** Reads all that has reached us, notes where the log is, and lets the fencing transaction go on. */
    private void sweep(long ticket) throws IOException, SQLException {
        accept(wide);
        accept(narrow);
        // In this order: what is in the table and reaches us before the second look is taken by that look.
        Set<Integer> ports = SenderQueues.unacknowledged(narrow.socket().getLocalPort());
        written.keySet().retainAll(ports);
        ports.forEach(port -> written.computeIfAbsent(port, p -> ++position));
        accept(narrow);
        List<RaceConnection> all = new ArrayList<>();
        for (SelectionKey key : selector.keys()) {
            if (key.isValid() && key.attachment() instanceof RaceConnection connection) {
                all.add(connection);
            }
        }
        take(all);
        sweeps.put(ticket, ++position);
        try (var statement = database.prepareStatement("insert into race.sweeps values (?, ?)")) {
            statement.setLong(1, ticket);
            statement.setLong(2, position);
            statement.executeUpdate();
        }
    }

    private void accept(ServerSocketChannel from) throws IOException {
        for (SocketChannel next = from.accept(); next != null; next = from.accept()) {
            next.configureBlocking(false);
            Long before = from == wide ? null : written.remove(next.socket().getPort());
            foundWritten += before == null ? 0 : 1;
            LongSupplier first = before == null ? () -> ++position : () -> before;
            RaceConnection connection = new RaceConnection(next, first, from == wide);
            next.register(selector, SelectionKey.OP_READ, connection);
            take(List.of(connection));
        }
    }

    /** Reads what is there; counts the reservations of what is complete; decides on the answers. */
    private void take(List<RaceConnection> connections) {
        List<RaceConnection> complete = new ArrayList<>();
        for (RaceConnection connection : connections) {
            switch (connection.read()) {
                case COMPLETE -> complete.add(connection);
                case BROKEN_OFF -> arrivals.add(connection.arrival(-1, 0));
                case NOTHING -> {}
            }
        }
        if (!complete.isEmpty()) {
            Map<String, Integer> reserved = reservations(complete);
            complete.forEach(one -> decide(one, reserved.getOrDefault(one.messageId(), 0)));
        }
    }

    private Map<String, Integer> reservations(List<RaceConnection> complete) {
        Map<String, Integer> counts = new HashMap<>();
        try (var statement = database.prepareStatement(
                "select message_id, count(*) from race.reservations where message_id = any (?) group by message_id")) {
            statement.setArray(
                    1,
                    database.createArrayOf(
                            "text",
                            complete.stream()
                                    .map(RaceConnection::messageId)
                                    .distinct()
                                    .toArray()));
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    counts.put(rows.getString(1), rows.getInt(2));
                }
            }
            return counts;
        } catch (SQLException e) {
            throw new IllegalStateException("cannot count reservations", e);
        }
    }

    /** Of a hundred: most are accepted at once, eight later, twelve are refused, eight get no answer, of them half never. */
    private void decide(RaceConnection connection, int reserved) {
        int thrown = dice.nextInt(100);
        int status = thrown < 8 ? 0 : thrown < 20 ? 503 : 200;
        boolean late = thrown < 4 || thrown >= 92;
        arrivals.add(connection.arrival(reserved, status));
        connection.decided(status);
        if (late) {
            due.computeIfAbsent(ticks + dice.nextInt(300), tick -> new ArrayList<>())
                    .add(connection);
        } else {
            connection.answer();
        }
    }

    @Override
    public void close() {
        running = false;
        try {
            thread.join();
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
            wide.close();
            narrow.close();
            database.close();
        } catch (IOException | SQLException e) {
            throw new IllegalStateException("the receiver does not close", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
