package dev.ringfence.job;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/**
 * Which endpoints are quick, slow or hanging, and which flights of the slow ones are under way. A flight is over when none of its
 * deliveries is in hand any more, whichever way they went. Not thread-safe: {@link Slots} guards it.
 */
final class Lanes {
    /** So many quick answers in a row until an endpoint is trusted again. */
    static final int PROOF = 5;

    private static final int MOST = 10_000;

    private final Map<UUID, Integer> slow = bounded();
    private final Map<UUID, Boolean> hanging = bounded();
    private final Map<Lane, List<Set<Long>>> flights = new EnumMap<>(Map.of(
            Lane.QUICK, new ArrayList<>(),
            Lane.SLOW, new ArrayList<>(),
            Lane.HANGING, new ArrayList<>()));

    private static <T> Map<UUID, T> bounded() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<UUID, T> eldest) {
                return size() > MOST;
            }
        };
    }

    Lane of(UUID subscription) {
        if (hanging.containsKey(subscription)) {
            return Lane.HANGING;
        }
        return slow.containsKey(subscription) ? Lane.SLOW : Lane.QUICK;
    }

    /** All that are not quick. */
    Set<UUID> others() {
        Set<UUID> others = new HashSet<>(slow.keySet());
        others.addAll(hanging.keySet());
        return others;
    }

    boolean open(Lane lane) {
        return flights(lane).size() < lane.flights();
    }

    /** A flight of these begins; those of the quick lane are not counted. */
    void begin(Lane lane, Collection<Long> ids) {
        if (lane != Lane.QUICK && !ids.isEmpty()) {
            flights(lane).add(new HashSet<>(ids));
        }
    }

    private List<Set<Long>> flights(Lane lane) {
        return Objects.requireNonNull(flights.get(lane));
    }

    /** These are in hand no more. */
    void end(Collection<Long> ids) {
        for (List<Set<Long>> lane : flights.values()) {
            lane.forEach(flight -> ids.forEach(flight::remove));
            lane.removeIf(Set::isEmpty);
        }
    }

    /** Whether one of these travels in a lane of its own. */
    boolean apart(Collection<Long> ids) {
        return flights.values().stream()
                .flatMap(List::stream)
                .anyMatch(flight -> ids.stream().anyMatch(flight::contains));
    }

    /** It keeps a flight waiting. */
    void dragging(UUID subscription) {
        slow.put(subscription, PROOF);
    }

    /** It answered, or came to its deadline. */
    void behaved(UUID subscription, Pace pace) {
        if (pace == Pace.HUNG) {
            hanging.put(subscription, Boolean.TRUE);
            return;
        }
        hanging.remove(subscription);
        if (pace == Pace.SLOW) {
            dragging(subscription);
        } else {
            slow.computeIfPresent(subscription, (id, left) -> left > 1 ? left - 1 : null);
        }
    }
}
