package dev.ringfence.receipt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringfence.reservation.Reserved;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.subscription.Semantics;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.Receipt;
import dev.ringfence.transport.RetryAfter;
import dev.ringfence.transport.SendResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class OutcomesTest {
    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");
    private static final Instant NOW = START.plusSeconds(10);
    private static final Duration MAX_AGE = Duration.ofHours(24);
    private static final RetryPolicy DEFAULT = new RetryPolicy(List.of(60, 300, 1800, 7200, 21600), 0, 6);

    private static Attempted attempt(int number, Semantics semantics) {
        Reserved reserved = new Reserved(
                7,
                START,
                1,
                UUID.randomUUID(),
                UUID.randomUUID(),
                UUID.randomUUID(),
                1,
                number,
                number,
                START,
                START,
                "msg_1",
                "http://example.test/",
                null,
                null,
                new byte[0],
                false,
                false);
        return new Attempted(reserved, DEFAULT, List.of(404), semantics, 6, MAX_AGE);
    }

    static Stream<Arguments> outcomes() {
        SendResult acknowledged = new SendResult.Acknowledged(200, null);
        SendResult refused = new SendResult.Failed(OutcomeCode.REFUSED, 400);
        SendResult deploying = new SendResult.Failed(OutcomeCode.REFUSED, 404);
        SendResult malformed = new SendResult.Failed(OutcomeCode.MALFORMED_PAYLOAD, null);
        SendResult broken = new SendResult.Uncertain(OutcomeCode.SERVER_ERROR, 503, null);
        SendResult unsent = new SendResult.NotSent(OutcomeCode.CONNECT_FAILED);
        SendResult forbidden = new SendResult.Forbidden();
        return Stream.of(
                Arguments.of(acknowledged, 1, Semantics.AT_LEAST_ONCE, "ACKNOWLEDGED - delivered -"),
                Arguments.of(acknowledged, 6, Semantics.AT_MOST_ONCE, "ACKNOWLEDGED - delivered -"),
                Arguments.of(refused, 1, Semantics.AT_LEAST_ONCE, "FAILED REFUSED dead REFUSED"),
                Arguments.of(deploying, 1, Semantics.AT_LEAST_ONCE, "FAILED REFUSED retrying REFUSED"),
                Arguments.of(deploying, 6, Semantics.AT_LEAST_ONCE, "FAILED REFUSED dead EXHAUSTED"),
                Arguments.of(deploying, 1, Semantics.AT_MOST_ONCE, "FAILED REFUSED dead REFUSED"),
                Arguments.of(malformed, 1, Semantics.AT_LEAST_ONCE, "FAILED MALFORMED_PAYLOAD dead MALFORMED_PAYLOAD"),
                Arguments.of(
                        forbidden,
                        1,
                        Semantics.AT_LEAST_ONCE,
                        "FAILED DESTINATION_NOT_ALLOWED failed DESTINATION_NOT_ALLOWED"),
                Arguments.of(broken, 1, Semantics.AT_LEAST_ONCE, "UNCERTAIN SERVER_ERROR retrying SERVER_ERROR"),
                Arguments.of(broken, 6, Semantics.AT_LEAST_ONCE, "UNCERTAIN SERVER_ERROR dead EXHAUSTED"),
                Arguments.of(broken, 1, Semantics.AT_MOST_ONCE, "UNCERTAIN SERVER_ERROR dead SERVER_ERROR"),
                Arguments.of(unsent, 1, Semantics.AT_LEAST_ONCE, "NOT_SENT CONNECT_FAILED retrying CONNECT_FAILED"),
                Arguments.of(unsent, 1, Semantics.AT_MOST_ONCE, "NOT_SENT CONNECT_FAILED retrying CONNECT_FAILED"),
                Arguments.of(unsent, 6, Semantics.AT_MOST_ONCE, "NOT_SENT CONNECT_FAILED dead EXHAUSTED"));
    }

    @ParameterizedTest
    @MethodSource("outcomes")
    @Tag("AT-4")
    @Tag("AT-5")
    @Tag("SB-7")
    void a_result_decides_attempt_and_delivery(SendResult result, int number, Semantics semantics, String expected) {
        Settlement s = Outcomes.of(attempt(number, semantics), result, NOW, 0);

        assertThat(s.attempt() + " " + text(s.code()) + " " + s.delivery().text() + " " + text(s.lastCode()))
                .isEqualTo(expected);
        assertThat(s.nextAttemptAt() != null).isEqualTo(s.delivery().live());
    }

    private static String text(OutcomeCode code) {
        return code == null ? "-" : code.name();
    }

    @ParameterizedTest
    @CsvSource({"1, 60", "2, 300", "3, 1800", "4, 7200", "5, 21600"})
    @Tag("DL-2")
    void waits_grow_with_the_attempts_of_the_cycle(int number, int seconds) {
        Settlement s = Outcomes.of(
                attempt(number, Semantics.AT_LEAST_ONCE),
                new SendResult.Uncertain(OutcomeCode.TIMEOUT, null, null),
                NOW,
                0);

        assertThat(s.nextAttemptAt()).isEqualTo(NOW.plusSeconds(seconds));
    }

    @Test
    @Tag("AT-6")
    void a_refusal_that_is_tried_again_waits_as_long_as_asked() {
        SendResult deploying = new SendResult.Failed(OutcomeCode.REFUSED, 404, new RetryAfter.Seconds(3_600));

        Settlement s = Outcomes.of(attempt(1, Semantics.AT_LEAST_ONCE), deploying, NOW, 0);

        assertThat(s.nextAttemptAt()).isEqualTo(NOW.plusSeconds(3_600));
        assertThat(s.retryAfter()).isEqualTo(NOW.plusSeconds(3_600));
    }

    @Test
    @Tag("DL-2")
    void jitter_only_adds() {
        Attempted attempted = new Attempted(
                attempt(1, Semantics.AT_LEAST_ONCE).reserved(),
                new RetryPolicy(List.of(60), 0.5, 2),
                List.of(),
                Semantics.AT_LEAST_ONCE,
                2,
                MAX_AGE);
        SendResult timeout = new SendResult.Uncertain(OutcomeCode.TIMEOUT, null, null);

        assertThat(Outcomes.of(attempted, timeout, NOW, 0).nextAttemptAt()).isEqualTo(NOW.plusSeconds(60));
        assertThat(Outcomes.of(attempted, timeout, NOW, 1).nextAttemptAt()).isEqualTo(NOW.plusSeconds(90));
    }

    static Stream<Arguments> retryAfters() {
        Instant end = START.plus(MAX_AGE);
        return Stream.of(
                Arguments.of(new RetryAfter.Seconds(120), NOW.plusSeconds(120)),
                Arguments.of(new RetryAfter.Seconds(5), NOW.plusSeconds(60)),
                Arguments.of(new RetryAfter.Seconds(9_999_999_999L), end),
                Arguments.of(new RetryAfter.Seconds(Long.MAX_VALUE), end),
                Arguments.of(new RetryAfter.At(NOW.plusSeconds(500)), NOW.plusSeconds(500)),
                Arguments.of(new RetryAfter.At(NOW.minusSeconds(500)), NOW.plusSeconds(60)),
                Arguments.of(new RetryAfter.At(Instant.MAX), end));
    }

    @ParameterizedTest
    @MethodSource("retryAfters")
    @Tag("AT-6")
    void retry_after_is_obeyed_up_to_the_end_of_the_age_budget(RetryAfter asked, Instant due) {
        Settlement s = Outcomes.of(
                attempt(1, Semantics.AT_LEAST_ONCE),
                new SendResult.Uncertain(OutcomeCode.RATE_LIMITED, 429, asked),
                NOW,
                0);

        assertThat(s.delivery().text()).isEqualTo("retrying");
        assertThat(s.nextAttemptAt()).isEqualTo(due);
        assertThat(s.retryAfter()).isBeforeOrEqualTo(START.plus(MAX_AGE));
    }

    @Test
    void a_receipt_is_kept() {
        Receipt receipt = new Receipt(true, 1, 0, "app", List.of());

        assertThat(Outcomes.of(attempt(1, Semantics.AT_LEAST_ONCE), new SendResult.Acknowledged(202, receipt), NOW, 0)
                        .receipt())
                .isSameAs(receipt);
    }

    @Test
    @Tag("AT-3")
    void what_never_started_is_not_settled() {
        assertThatThrownBy(() -> Outcomes.of(attempt(1, Semantics.AT_LEAST_ONCE), new SendResult.NotStarted(), NOW, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
