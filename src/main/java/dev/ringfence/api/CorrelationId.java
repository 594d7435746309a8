package dev.ringfence.api;

/**
 * Names one bounded workflow (EV-4); not the W3C trace id. Only {@link CorrelationIds} makes one.
 *
 * @param value {@code cor_} and 44 base64url characters: a random part and the code that proves who issued it
 */
public record CorrelationId(String value) {

    /** Request and response header. */
    public static final String HEADER = "Ringfence-Correlation-Id";

    @Override
    public String toString() {
        return value;
    }
}
