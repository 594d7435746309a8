package dev.ringfence.subscription;

/**
 * Which events a subscription takes: those whose type and content it asks for (SB-2).
 *
 * @param types the type list
 * @param match the match filter
 */
public record EventFilter(EventTypeFilter types, MatchFilter match) {}
