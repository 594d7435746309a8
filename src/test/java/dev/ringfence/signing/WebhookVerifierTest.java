package dev.ringfence.signing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.signing.Verification.Invalid;
import dev.ringfence.signing.Verification.Reason;
import dev.ringfence.signing.Verification.Valid;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("SG-3")
class WebhookVerifierTest {
    private static final WebhookSecret OLD = WebhookSecret.parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    private static final WebhookSecret NEW = WebhookSecret.parse("plain text");
    private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);
    private static final byte[] BODY = "{\"a\":\"é\"}".getBytes(UTF_8);

    @Test
    void acceptsEitherSecretDuringARotationAndAnyCaseOfNames() {
        Map<String, String> headers = headers(NOW, sign(OLD, NOW));

        assertThat(verify(headers, List.of(NEW, OLD))).isEqualTo(new Valid("evt_1", NOW));
        assertThat(verify(headers, List.of(NEW))).isEqualTo(new Invalid(Reason.SIGNATURE_MISMATCH));
        assertThat(verify(headers, List.of())).isEqualTo(new Invalid(Reason.SIGNATURE_MISMATCH));
    }

    @Test
    void findsItsSignatureAmongOthers() {
        String signatures = "v1a,AAAA v1,%%% v2,x v1, " + sign(NEW, NOW);

        assertThat(verify(headers(NOW, signatures), List.of(NEW))).isInstanceOf(Valid.class);
    }

    @Test
    void theTimestampIsBoundBothWays() {
        assertThat(verify(signedAt(NOW.minusSeconds(300)), List.of(OLD))).isInstanceOf(Valid.class);
        assertThat(verify(signedAt(NOW.plusSeconds(300)), List.of(OLD))).isInstanceOf(Valid.class);
        assertThat(verify(signedAt(NOW.minusSeconds(301)), List.of(OLD))).isEqualTo(new Invalid(Reason.TOO_OLD));
        assertThat(verify(signedAt(NOW.plusSeconds(301)), List.of(OLD))).isEqualTo(new Invalid(Reason.TOO_NEW));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "+1800000000", "1.8e9", "99999999999999999999", "١٨٠٠٠٠٠٠٠٠", " 1800000000"})
    void aTimestampIsAsciiDigits(String timestamp) {
        Map<String, String> headers = headers(NOW, sign(OLD, NOW));
        headers.put("Webhook-Timestamp", timestamp);

        assertThat(verify(headers, List.of(OLD))).isEqualTo(new Invalid(Reason.TIMESTAMP_MALFORMED));
    }

    @Test
    void everyHeaderAndEveryByteCounts() {
        for (String name : List.of("Webhook-Id", "Webhook-Timestamp", "Webhook-Signature")) {
            Map<String, String> headers = signedAt(NOW);
            headers.put(name, "");
            assertThat(verify(headers, List.of(OLD))).isEqualTo(new Invalid(Reason.HEADER_MISSING));
            headers.remove(name);
            assertThat(verify(headers, List.of(OLD))).isEqualTo(new Invalid(Reason.HEADER_MISSING));
        }
        Map<String, String> otherId = signedAt(NOW);
        otherId.put("Webhook-Id", "evt_2");
        assertThat(verify(otherId, List.of(OLD))).isEqualTo(new Invalid(Reason.SIGNATURE_MISMATCH));
        byte[] otherBody = BODY.clone();
        otherBody[0] ^= 1;
        assertThat(WebhookVerifier.verify(signedAt(NOW), otherBody, List.of(OLD), Duration.ofMinutes(5), NOW))
                .isEqualTo(new Invalid(Reason.SIGNATURE_MISMATCH));
    }

    private static Verification verify(Map<String, String> headers, List<WebhookSecret> secrets) {
        return WebhookVerifier.verify(headers, BODY, secrets, Duration.ofMinutes(5), NOW);
    }

    private static Map<String, String> signedAt(Instant time) {
        return headers(time, sign(OLD, time));
    }

    private static String sign(WebhookSecret secret, Instant time) {
        return StandardWebhooks.sign(secret.key(), "evt_1", time.getEpochSecond(), BODY);
    }

    private static Map<String, String> headers(Instant time, String signature) {
        return new HashMap<>(Map.of(
                "Webhook-Id",
                "evt_1",
                "Webhook-Timestamp",
                Long.toString(time.getEpochSecond()),
                "Webhook-Signature",
                signature));
    }
}
