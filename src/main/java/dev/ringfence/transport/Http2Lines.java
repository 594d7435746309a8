package dev.ringfence.transport;

import dev.ringfence.time.NanoClock;
import dev.ringfence.transport.Opening.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP/2 connections, for each {@link Route}, and which receivers are spoken to in HTTP/1.1. An exchange takes a seat on a
 * connection that is there, waits for one that is being made and will have room for it, or makes one itself.
 */
final class Http2Lines {
    /** Who does not choose HTTP/2, or cannot be spoken to in it, is not asked again so soon. */
    private static final long HTTP_1_FOR = Duration.ofMinutes(10).toNanos();

    private final NanoClock clock;
    private final boolean enabled;
    private final Map<Route, Peer> peers = new HashMap<>();

    /** Where an exchange goes. */
    sealed interface Place {
        record Seated(Http2Line line) implements Place {}

        record Waiting() implements Place {}

        /** On a connection that it makes; the others wait for it until the opening has ended. */
        record Makes(Opening opening) implements Place {}

        /** On a connection of its own, in HTTP/1.1. */
        record Alone() implements Place {}
    }

    private static final class Peer {
        private final List<Http2Line> lines = new ArrayList<>();
        private final List<Opening> openings = new ArrayList<>();
        private final Map<Http2Line, Opening> settling = new HashMap<>();
        private int seats = Seats.MOST;
        private boolean http1;
        private long http1Until;

        boolean isForgettable() {
            return lines.isEmpty() && openings.isEmpty() && settling.isEmpty() && !http1;
        }
    }

    Http2Lines(NanoClock clock, boolean enabled) {
        this.clock = clock;
        this.enabled = enabled;
    }

    boolean areEnabled() {
        return enabled;
    }

    /**
     * @param mayWait whether it may wait for a connection that another exchange makes
     */
    synchronized Place place(Route route, Waiter waiter, boolean mayWait) {
        if (!enabled || route.tls() == null || isHttp1(peers.get(route))) {
            return new Place.Alone();
        }
        Peer peer = peers.computeIfAbsent(route, r -> new Peer());
        Optional<Http2Line> free = peer.lines.stream().filter(Http2Line::take).findFirst();
        if (free.isPresent()) {
            return new Place.Seated(free.get());
        }
        if (mayWait && peer.openings.stream().anyMatch(opening -> opening.size() < peer.seats && opening.add(waiter))) {
            return new Place.Waiting();
        }
        Opening opening = new Opening(route);
        peer.openings.add(opening);
        return new Place.Makes(opening);
    }

    private boolean isHttp1(@Nullable Peer peer) {
        return peer != null && peer.http1 && clock.nanos() - peer.http1Until < 0;
    }

    /** No connection came about, or one in HTTP/1.1. May be called again. */
    void end(Opening opening) {
        synchronized (this) {
            Peer peer = peers.get(opening.route());
            if (peer != null) {
                peer.openings.remove(opening);
            }
        }
        opening.end(false);
    }

    /** The receiver chose HTTP/2: the opening ends when it has begun it. */
    void begin(Http2Line line, Opening opening) {
        synchronized (this) {
            peers.computeIfAbsent(line.route(), r -> new Peer()).settling.put(line, opening);
        }
        line.begin();
    }

    void settled(Http2Line line) {
        end(line, true);
    }

    private void end(Http2Line line, boolean came) {
        Opening opening;
        synchronized (this) {
            Peer peer = peers.computeIfAbsent(line.route(), r -> new Peer());
            opening = peer.settling.remove(line);
            peer.openings.remove(opening);
            if (came) {
                peer.lines.add(line);
                peer.seats = Math.max(1, line.seats());
            }
        }
        if (opening != null) {
            opening.end(came);
        }
    }

    void ended(Http2Line line) {
        synchronized (this) {
            Peer peer = peers.get(line.route());
            if (peer != null) {
                peer.lines.remove(line);
            }
        }
        if (line.hasFailed()) {
            speaksHttp1(line.route());
        }
        end(line, false);
    }

    synchronized void speaksHttp1(Route route) {
        Peer peer = peers.computeIfAbsent(route, r -> new Peer());
        peer.http1 = true;
        peer.http1Until = clock.nanos() + HTTP_1_FOR;
    }

    /** HTTP/2 may be offered to the receiver again. */
    synchronized void mayOffer(Route route) {
        Peer peer = peers.get(route);
        if (peer != null) {
            peer.http1 = false;
        }
    }

    /** Ends what was idle for too long, or does not begin. */
    void tidy() {
        long now = clock.nanos();
        all().forEach(line -> line.tidy(now));
        synchronized (this) {
            peers.values().forEach(peer -> peer.http1 = isHttp1(peer));
            peers.values().removeIf(Peer::isForgettable);
        }
    }

    /** Makes room where connections are short. */
    void closeAnIdleOne() {
        used().stream().filter(Http2Line::isIdle).findFirst().ifPresent(Http2Line::kill);
    }

    /** Not those that are still being made: others wait for them. */
    private synchronized List<Http2Line> used() {
        return peers.values().stream().flatMap(peer -> peer.lines.stream()).toList();
    }

    /** Connections that take no requests until their receivers show that they read. */
    long doubted() {
        return all().stream().filter(Http2Line::isDoubted).count();
    }

    private synchronized List<Http2Line> all() {
        List<Http2Line> all = new ArrayList<>();
        peers.values().forEach(peer -> {
            all.addAll(peer.lines);
            all.addAll(peer.settling.keySet());
        });
        return all;
    }
}
