package dev.ringfence.fanout;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;

/**
 * The time in which a batch's events were recorded. As a statement's own values it lets the planner leave out all other weeks, which is most of what a
 * plan for few events costs.
 *
 * @param until behind the last
 */
record Span(OffsetDateTime from, OffsetDateTime until) {

    /** @param recorded at least one */
    static Span of(Collection<Instant> recorded) {
        Instant first = recorded.stream().min(Instant::compareTo).orElseThrow();
        Instant last = recorded.stream().max(Instant::compareTo).orElseThrow();
        return new Span(
                first.atOffset(ZoneOffset.UTC), last.plus(1, ChronoUnit.MICROS).atOffset(ZoneOffset.UTC));
    }

    /**
     * The condition, with {@link #values} as its parameters. Its other half adds nothing but that no index serves it alone: where a week seems to hold little,
     * the planner would else go through all of it by time instead of looking each row up (decision 15).
     */
    static String on(String column) {
        return "((%1$s >= ? and %1$s < ?) or %1$s = ?)".formatted(column);
    }

    List<Object> values() {
        return List.of(from, until, from);
    }
}
