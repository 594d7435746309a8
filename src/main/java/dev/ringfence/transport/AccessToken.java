package dev.ringfence.transport;

import dev.ringfence.transport.SendResult.Acknowledged;
import dev.ringfence.transport.SendResult.Failed;
import dev.ringfence.transport.SendResult.Uncertain;
import java.util.Objects;

/** A token that an authorization server issued. What became of it is told by the requests that carried it. */
final class AccessToken {
    private static final Integer UNAUTHORIZED = 401;

    private final String text;
    private final long until;
    private final boolean renewal;
    private volatile boolean accepted;
    private volatile boolean refused;

    /**
     * @param until on {@link dev.ringfence.time.NanoClock}: from then on another one is asked for
     * @param renewal whether it replaces one that the receiver refused
     */
    AccessToken(String text, long until, boolean renewal) {
        this.text = text;
        this.until = until;
        this.renewal = renewal;
    }

    String authorization() {
        return "Bearer " + text;
    }

    boolean isUsable(long now) {
        return !refused && until - now > 0;
    }

    boolean isRefused() {
        return refused;
    }

    /**
     * Learns from what became of a request that carried it. A receiver that answers 401 is asked once more, by the next attempt and with
     * a new token, before that is final: not where this one was new for that reason already and has never been accepted.
     */
    SendResult learn(SendResult result) {
        if (result instanceof Acknowledged) {
            accepted = true;
        }
        if (result instanceof Uncertain uncertain && Objects.equals(uncertain.status(), UNAUTHORIZED)) {
            refused = true;
        }
        if (!(result instanceof Failed failed) || !Objects.equals(failed.status(), UNAUTHORIZED)) {
            return result;
        }
        refused = true;
        return renewal && !accepted
                ? result
                : new Uncertain(OutcomeCode.TOKEN_REFUSED, UNAUTHORIZED, failed.retryAfter());
    }

    /** Never shows the token. */
    @Override
    public String toString() {
        return "AccessToken";
    }
}
