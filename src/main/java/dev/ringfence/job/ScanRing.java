package dev.ringfence.job;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Where the next look begins. Rounds visit every pair that has something, from the beginning of what is due; between them looks go on, at
 * the pairs that had more, where the last one ended, as each that begins at the beginning passes again what others have in hand and
 * what was delivered since the last vacuum. What came to lie before such a place is found by the next round. Not thread-safe:
 * {@link CandidateFeed} guards it.
 */
final class ScanRing {
    /** From the end of a round to the next one, where there is enough to go on with. */
    static final Duration BETWEEN_ROUNDS = Duration.ofMillis(250);

    private final Map<ScanPlace, ScanHead> known = new LinkedHashMap<>();
    private final Set<UUID> found = new HashSet<>();
    private ScanPlace place = ScanPlace.START;
    private boolean goingRound = true;
    private boolean tookSome;
    private int foundLastRound;
    private long nextRound;

    /** The pairs to go on with, empty where the look is part of a round. */
    List<ScanHead> known(long now) {
        if (!goingRound && (known.isEmpty() || nextRound - now <= 0)) {
            beginRound();
        }
        return goingRound ? List.of() : List.copyOf(known.values());
    }

    private void beginRound() {
        goingRound = true;
        known.clear();
    }

    /** Where a round goes on. */
    ScanPlace place() {
        return place;
    }

    /** How many subscriptions have something, as far as is known. */
    int endpoints() {
        return Math.max(1, Math.max(foundLastRound, found.size()));
    }

    /** Something of it was taken in hand. */
    void took(UUID subscription) {
        tookSome = true;
        if (goingRound) {
            found.add(subscription);
        }
    }

    /**
     * A look has ended.
     *
     * @return whether a whole round found nothing
     */
    boolean seen(Scan scan, long now) {
        for (ScanVisit visit : scan.visits()) {
            ScanHead before = known.remove(visit.pair());
            ScanHead rest = visit.rest(before == null ? ScanHead.before(visit.pair()) : before);
            if (rest != null) {
                known.put(visit.pair(), rest);
            }
        }
        boolean vain = !tookSome;
        tookSome = false;
        if (!goingRound) {
            // Those that are known have no slots now; who has some, only a round tells.
            if (vain) {
                beginRound();
            }
            return false;
        }
        if (!scan.wrapped()) {
            place = scan.last(place);
            return false;
        }
        boolean nothing = found.isEmpty();
        place = ScanPlace.START;
        foundLastRound = found.size();
        found.clear();
        goingRound = nothing;
        nextRound = now + BETWEEN_ROUNDS.toNanos();
        if (nothing) {
            known.clear();
        }
        return nothing;
    }
}
