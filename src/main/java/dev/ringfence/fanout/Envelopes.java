package dev.ringfence.fanout;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The stored envelopes that a publish transaction looks into.
 *
 * @param byOrdinal those that it has in memory
 * @param left ordinals of events whose envelopes had no room beside these: they need another transaction
 */
record Envelopes(Map<Long, byte[]> byOrdinal, Set<Long> left) {

    /** Bytes of all envelopes of one transaction; a single one may have more. */
    static final long MOST = 32 << 20;

    static final Envelopes NONE = new Envelopes(Map.of(), Set.of());

    byte @Nullable [] of(ClaimedEvent event) {
        return byOrdinal.get(event.ordinal());
    }

    boolean leaves(ClaimedEvent event) {
        return left.contains(event.ordinal());
    }
}
