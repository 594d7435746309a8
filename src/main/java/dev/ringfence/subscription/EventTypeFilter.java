package dev.ringfence.subscription;

import java.util.List;

/**
 * The type list of a subscription (SB-2). An empty list takes every type.
 *
 * @param patterns {@code *}, {@code prefix.*} or exact event names, as the subscriber wrote them
 */
public record EventTypeFilter(List<String> patterns) {

    public EventTypeFilter {
        patterns = List.copyOf(patterns);
    }

    public boolean accepts(String eventName) {
        return patterns.isEmpty() || patterns.stream().anyMatch(pattern -> TypePattern.matches(pattern, eventName));
    }
}
