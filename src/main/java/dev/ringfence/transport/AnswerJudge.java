package dev.ringfence.transport;

import dev.ringfence.transport.SendResult.Acknowledged;
import dev.ringfence.transport.SendResult.Failed;
import dev.ringfence.transport.SendResult.Uncertain;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** From the receiver's answer to the outcome (AT-4, HT-1, HT-2). */
final class AnswerJudge {
    private static final int TIMEOUT = 408;
    private static final int GONE = 410;
    private static final int TOO_MANY_REQUESTS = 429;

    private AnswerJudge() {}

    static boolean isSuccess(int status) {
        return status / 100 == 2;
    }

    /** The outcome of any status but 2xx, should the answer come to its end. */
    static SendResult refusal(int status, @Nullable RetryAfter retryAfter) {
        return switch (status) {
            case TIMEOUT -> new Uncertain(OutcomeCode.TIMEOUT, status, retryAfter);
            case GONE -> new Failed(OutcomeCode.GONE, status, retryAfter);
            case TOO_MANY_REQUESTS -> new Uncertain(OutcomeCode.RATE_LIMITED, status, retryAfter);
            default -> byClass(status, retryAfter);
        };
    }

    private static SendResult byClass(int status, @Nullable RetryAfter retryAfter) {
        return switch (status / 100) {
            case 3 -> new Failed(OutcomeCode.REDIRECT, status, retryAfter);
            case 4 -> new Failed(OutcomeCode.REFUSED, status, retryAfter);
            case 5 -> new Uncertain(OutcomeCode.SERVER_ERROR, status, retryAfter);
            default -> new Uncertain(OutcomeCode.INVALID_ACK, status, null);
        };
    }

    /** The outcome of a complete 2xx answer. */
    static SendResult success(int status, byte[] body, AckProfile ack, List<String> appIds) {
        if (ack == AckProfile.STATUS) {
            return new Acknowledged(status, null);
        }
        return AckParser.parse(body, appIds)
                .<SendResult>map(receipt -> new Acknowledged(status, receipt))
                .orElseGet(() -> new Uncertain(OutcomeCode.INVALID_ACK, status, null));
    }
}
