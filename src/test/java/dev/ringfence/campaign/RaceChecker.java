package dev.ringfence.campaign;

import dev.ringfence.campaign.RaceHistory.Arrival;
import dev.ringfence.campaign.RaceHistory.FenceRow;
import dev.ringfence.campaign.RaceHistory.Recorded;
import dev.ringfence.campaign.RaceHistory.Reservation;
import dev.ringfence.campaign.RaceHistory.Version;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Everything in which the two books of a redaction race may contradict the promises, found from the books alone. */
final class RaceChecker {
    /** What went wrong. */
    enum Fault {
        /** A request that broke off before anybody could say whose it was. */
        UNATTRIBUTED_REQUEST,
        /** AT-1: no reservation of this delivery was ever committed. */
        REQUEST_WITHOUT_RESERVATION,
        /** AT-1: it was there before as many reservations were committed as there were requests. */
        REQUEST_BEFORE_RESERVATION,
        /** AT-2: more requests than reservations that may have left. */
        MORE_REQUESTS_THAN_RESERVATIONS,
        /** More acknowledged than the receiver acknowledged. */
        ACKNOWLEDGED_WITHOUT_ANSWER,
        /** RD-1, FN-4: its first byte came after the fencing transaction had swept the receiver. */
        REQUEST_AFTER_FENCING,
        /** An epoch ended and the receiver does not know where in its log. */
        FENCING_WITHOUT_SWEEP,
        /** Payload of one epoch or tenant sent for another. */
        MIXED_EPOCHS,
        /** The receiver saw an older epoch of the tenant after a newer one. */
        EPOCH_CAME_BACK,
        /** An epoch was given twice. */
        EPOCH_GIVEN_TWICE,
        /** FN-4: a reservation that was committed for an epoch that was over. */
        RESERVED_IN_ENDED_EPOCH,
        /** RC-3: an event that was recorded in an epoch that was over. */
        RECORDED_IN_ENDED_EPOCH,
        /** LC-1: the boundary went back or got lost. */
        BOUNDARY_MOVED_BACK,
        /** LC-1: a tenant's row is gone, or is not what was committed last. */
        FENCE_ROW_LOST,
        /** AT-8: an attempt of an ended epoch with neither an outcome nor a marker. */
        UNRESOLVED_WITHOUT_MARKER,
        /** AT-5: an attempt of a living epoch that nobody closed. */
        ATTEMPT_LEFT_OPEN,
        /** A marker of a reservation that nobody made. */
        MARKER_OF_NOTHING
    }

    /** One contradiction. */
    record Found(Fault fault, String what) {}

    private final RaceHistory history;
    private final List<Found> found = new ArrayList<>();
    private final Map<String, List<Reservation>> byMessage;
    private final Map<String, List<Arrival>> arrivals;
    private final Map<Long, List<Version>> versions;

    /** The place of an epoch in the life of its tenant, and where in the receiver's log it ended; absent while it lives. */
    private record Span(long tenantId, int place, @Nullable Long ended) {
        Span endedAt(long position) {
            return ended == null ? new Span(tenantId, place, position) : this;
        }
    }

    private final Map<String, Span> epochs = new HashMap<>();

    private RaceChecker(RaceHistory history) {
        this.history = history;
        byMessage = history.reservations().stream().collect(Collectors.groupingBy(Reservation::messageId));
        arrivals = history.arrivals().stream()
                .sorted(Comparator.comparingLong(Arrival::position))
                .collect(Collectors.groupingBy(Arrival::messageId, LinkedHashMap::new, Collectors.toList()));
        versions = history.versions().stream()
                .sorted(Comparator.comparingLong(Version::order))
                .collect(Collectors.groupingBy(Version::tenantId, TreeMap::new, Collectors.toList()));
    }

    /** Empty where the books agree with each other and with the promises. */
    static List<Found> check(RaceHistory history) {
        RaceChecker checker = new RaceChecker(history);
        checker.versions.forEach(checker::lifecycle);
        checker.arrivals.forEach(checker::delivery);
        checker.byMessage.forEach(checker::acknowledged);
        checker.order();
        history.reservations().forEach(checker::reservation);
        history.recorded().forEach(checker::recorded);
        checker.markers();
        return List.copyOf(checker.found);
    }

    private void report(Fault fault, Object... what) {
        found.add(new Found(fault, List.of(what).stream().map(Object::toString).collect(Collectors.joining(" "))));
    }

    private void lifecycle(long tenantId, List<Version> ofTenant) {
        FenceRow before = null;
        int place = 0;
        for (Version version : ofTenant) {
            FenceRow row = version.row();
            if (row == null) {
                report(Fault.FENCE_ROW_LOST, version);
                continue;
            }
            if (before != null && isBefore(row.boundary(), before.boundary())) {
                report(Fault.BOUNDARY_MOVED_BACK, before, version);
            }
            if (before == null || !before.epoch().equals(row.epoch()) || (before.active() && !row.active())) {
                Long swept = swept(version);
                // What is redacted already sends nothing whichever epoch follows.
                if (swept == null && before != null && before.active()) {
                    report(Fault.FENCING_WITHOUT_SWEEP, before, version);
                }
                if (swept != null && before != null) {
                    epochs.computeIfPresent(before.epoch(), (epoch, span) -> span.endedAt(swept));
                }
                Span span = new Span(tenantId, place++, row.active() ? null : swept);
                if (epochs.putIfAbsent(row.epoch(), span) != null) {
                    report(Fault.EPOCH_GIVEN_TWICE, version);
                }
            }
            before = row;
        }
        FenceRow last = history.fenceRows().get(tenantId);
        if (last == null || !last.equals(before)) {
            report(Fault.FENCE_ROW_LOST, "tenant", tenantId, "is", String.valueOf(last), "not", String.valueOf(before));
        }
    }

    private static boolean isBefore(@Nullable Instant now, @Nullable Instant before) {
        return before != null && (now == null || now.isBefore(before));
    }

    private @Nullable Long swept(Version version) {
        return version.ticket() == null ? null : history.sweeps().get(version.ticket());
    }

    private void delivery(String message, List<Arrival> requests) {
        if (message.isEmpty()) {
            requests.forEach(request -> report(Fault.UNATTRIBUTED_REQUEST, request));
            return;
        }
        List<Reservation> reserved = byMessage.getOrDefault(message, List.of());
        if (reserved.isEmpty()) {
            report(Fault.REQUEST_WITHOUT_RESERVATION, requests.get(0));
            return;
        }
        if (requests.size() > reserved.stream().filter(Reservation::mayHaveLeft).count()) {
            report(Fault.MORE_REQUESTS_THAN_RESERVATIONS, requests, reserved);
        }
        for (int i = 0; i < requests.size(); i++) {
            Arrival request = requests.get(i);
            if (request.reserved() >= 0 && request.reserved() < i + 1) {
                report(Fault.REQUEST_BEFORE_RESERVATION, request, "is number", i + 1);
            }
            fenced(request, reserved.get(0));
        }
    }

    private void fenced(Arrival request, Reservation reserved) {
        Span span = epochs.get(reserved.epoch());
        if (span == null || span.tenantId() != reserved.tenantId()) {
            report(Fault.MIXED_EPOCHS, "no such epoch of the tenant:", reserved);
            return;
        }
        if (!request.epoch().isEmpty() && !request.epoch().equals(reserved.epoch())) {
            report(Fault.MIXED_EPOCHS, request, reserved);
        }
        if (span.ended() != null && request.position() > span.ended()) {
            report(Fault.REQUEST_AFTER_FENCING, request, "fenced at", span.ended());
        }
    }

    private void acknowledged(String message, List<Reservation> reserved) {
        long claimed =
                reserved.stream().filter(r -> r.state().equals("ACKNOWLEDGED")).count();
        long given = arrivals.getOrDefault(message, List.of()).stream()
                .filter(a -> a.status() >= 200 && a.status() < 300)
                .count();
        if (claimed > given) {
            report(Fault.ACKNOWLEDGED_WITHOUT_ANSWER, reserved);
        }
    }

    /** By the bodies alone: each tenant's epochs reach the receiver one after the other, and no other tenant's. */
    private void order() {
        Map<String, Integer> newest = new HashMap<>();
        Map<String, Long> tenants = new HashMap<>();
        history.arrivals().stream()
                .filter(a -> !a.epoch().isEmpty())
                .sorted(Comparator.comparingLong(Arrival::position))
                .forEach(request -> {
                    Span span = epochs.get(request.epoch());
                    if (span == null
                            || span.tenantId() != tenants.merge(request.tenant(), span.tenantId(), (a, b) -> a)) {
                        report(Fault.MIXED_EPOCHS, "the body's epoch is not its tenant's:", request);
                        return;
                    }
                    int place = newest.merge(request.tenant(), span.place(), Math::max);
                    if (place > span.place()) {
                        report(Fault.EPOCH_CAME_BACK, request);
                    }
                });
    }

    private void reservation(Reservation reserved) {
        if (!reserved.seen().active() || !reserved.seen().epoch().equals(reserved.epoch())) {
            report(Fault.RESERVED_IN_ENDED_EPOCH, reserved);
        }
        if (!reserved.unresolved()) {
            return;
        }
        Span span = epochs.get(reserved.epoch());
        boolean over = span != null && span.ended() != null;
        if (over && !history.markers().contains(reserved.id())) {
            report(Fault.UNRESOLVED_WITHOUT_MARKER, reserved);
        }
        if (!over && reserved.state().equals("SENDING")) {
            report(Fault.ATTEMPT_LEFT_OPEN, reserved);
        }
    }

    private void recorded(Recorded event) {
        if (!event.seen().active() || !event.seen().epoch().equals(event.epoch())) {
            report(Fault.RECORDED_IN_ENDED_EPOCH, event);
        }
    }

    private void markers() {
        Set<UUID> known =
                history.reservations().stream().map(Reservation::id).collect(Collectors.toCollection(HashSet::new));
        history.markers().stream().filter(id -> !known.contains(id)).forEach(id -> report(Fault.MARKER_OF_NOTHING, id));
    }
}
