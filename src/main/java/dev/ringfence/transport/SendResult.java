package dev.ringfence.transport;

import org.jspecify.annotations.Nullable;

/** What is known after {@link HttpTransport#send}. The distinction that matters: may the request have arrived? (AT-4) */
public sealed interface SendResult {
    /** It arrived and was acknowledged as the profile demands; {@code receipt} is there for profile RECEIPT only. */
    record Acknowledged(int status, @Nullable Receipt receipt) implements SendResult {}

    /**
     * Definitely refused by the receiver, with a complete answer, or (status null, MALFORMED_PAYLOAD) not fit to be sent: not to be sent
     * again, unless the subscription says that such a refusal is ({@code retryAfter} is for that).
     */
    record Failed(
            OutcomeCode code,
            @Nullable Integer status,
            @Nullable RetryAfter retryAfter) implements SendResult {

        /** One that does not say when to ask again. */
        public Failed(OutcomeCode code, @Nullable Integer status) {
            this(code, status, null);
        }
    }

    /** It may have arrived. {@code status} is there where the head of an answer came. */
    record Uncertain(
            OutcomeCode code,
            @Nullable Integer status,
            @Nullable RetryAfter retryAfter) implements SendResult {}

    /** Proved: no byte of the request left, because the receiver could not be reached. */
    record NotSent(OutcomeCode code) implements SendResult {}

    /**
     * Proved: no byte of the request left, for a reason on our side: the send-by deadline passed, no connection was
     * free, or this process is stopping. The reservation may be released (AT-3).
     */
    record NotStarted() implements SendResult {}

    /** Proved: no byte of the request left, because its tenant's work was cancelled meanwhile (RD-1). */
    record Cancelled() implements SendResult {}

    /** The guard does not allow the destination (DESTINATION_NOT_ALLOWED); nothing was sent. */
    record Forbidden() implements SendResult {}
}
