package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.RetryAfter;
import dev.ringfence.transport.SendResult;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LandingTest {
    static Stream<Arguments> withoutFence() {
        RetryAfter later = new RetryAfter.Seconds(9);
        return Stream.of(
                Arguments.of(new SendResult.Acknowledged(200, null), lost(200, null)),
                Arguments.of(new SendResult.Failed(OutcomeCode.REFUSED, 404), lost(404, null)),
                Arguments.of(new SendResult.Failed(OutcomeCode.REFUSED, 404, later), lost(404, later)),
                Arguments.of(new SendResult.Uncertain(OutcomeCode.TIMEOUT, null, null), lost(null, null)),
                Arguments.of(new SendResult.Uncertain(OutcomeCode.RATE_LIMITED, 429, later), lost(429, later)));
    }

    private static SendResult lost(Integer status, RetryAfter later) {
        return new SendResult.Uncertain(OutcomeCode.FENCE_LOST, status, later);
    }

    @ParameterizedTest
    @MethodSource
    @Tag("FN-6")
    void withoutFence(SendResult answer, SendResult stored) {
        assertThat(Landing.withoutFence(answer)).isEqualTo(stored);
    }

    static Stream<Arguments> paces() {
        SendResult acknowledged = new SendResult.Acknowledged(200, null);
        SendResult silent = new SendResult.Uncertain(OutcomeCode.TIMEOUT, null, null);
        SendResult dripping = new SendResult.Uncertain(OutcomeCode.TIMEOUT, 200, null);
        SendResult impatient = new SendResult.Uncertain(OutcomeCode.TIMEOUT, 408, null);
        SendResult unconnected = new SendResult.NotSent(OutcomeCode.CONNECT_FAILED);
        return Stream.of(
                Arguments.of(acknowledged, false, Pace.QUICK),
                Arguments.of(acknowledged, true, Pace.SLOW),
                Arguments.of(new SendResult.Failed(OutcomeCode.REFUSED, 404), true, Pace.SLOW),
                Arguments.of(silent, true, Pace.HUNG),
                Arguments.of(silent, false, Pace.HUNG),
                Arguments.of(dripping, true, Pace.HUNG),
                Arguments.of(impatient, false, Pace.QUICK),
                Arguments.of(impatient, true, Pace.SLOW),
                Arguments.of(unconnected, false, Pace.QUICK),
                Arguments.of(unconnected, true, Pace.HUNG));
    }

    @ParameterizedTest
    @MethodSource
    @Tag("HT-5")
    void paces(SendResult answer, boolean late, Pace pace) {
        assertThat(Landing.pace(answer, late)).isEqualTo(pace);
    }

    static Stream<SendResult> noByteLeft() {
        return Stream.of(
                new SendResult.Failed(OutcomeCode.MALFORMED_PAYLOAD, null),
                new SendResult.NotSent(OutcomeCode.CONNECT_FAILED),
                new SendResult.NotStarted(),
                new SendResult.Forbidden());
    }

    @ParameterizedTest
    @MethodSource
    @Tag("FN-6")
    void noByteLeft(SendResult answer) {
        assertThat(Landing.withoutFence(answer)).isSameAs(answer);
    }
}
