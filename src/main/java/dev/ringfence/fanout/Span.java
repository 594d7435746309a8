package dev.ringfence.fanout;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Collection;

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
}
