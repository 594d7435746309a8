package dev.ringfence.ordering;

/**
 * Where an event stands in the order of its key.
 *
 * @param sequence from 1 in each key, without gaps
 */
public record OrderPlace(String key, long sequence) {}
