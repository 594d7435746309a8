package dev.ringfence.transport;

import java.time.Instant;

/** When the receiver wants to be asked again (AT-6). It may lie in the past or absurdly far ahead: the caller caps it. */
public sealed interface RetryAfter {
    /** So many seconds after the answer; {@link Long#MAX_VALUE} where the number was larger than that. */
    record Seconds(long seconds) implements RetryAfter {}

    /** Not before a moment. */
    record At(Instant moment) implements RetryAfter {}
}
