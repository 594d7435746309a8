package dev.ringfence.signing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import java.net.http.HttpHeaders;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class StandardWebhooksTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";

    @Test
    @Tag("SG-1")
    void signsThePublishedVector() {
        String signature = StandardWebhooks.sign(
                WebhookSecret.parse(SECRET).key(), ID, 1614265330, "{\"test\": 2432232314}".getBytes(UTF_8));

        assertThat(signature).isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    @Test
    @Tag("SG-1")
    void theStandardLibraryAcceptsEveryBodyByteForByte() {
        long seconds = Instant.now().getEpochSecond();
        for (String body : List.of("{\"log\":\"\\u001B[31m é\"}", "", "Zoë 👍", "{\"zebra\":1, \"alpha\":1e3}")) {
            String signature =
                    StandardWebhooks.sign(WebhookSecret.parse(SECRET).key(), ID, seconds, body.getBytes(UTF_8));

            assertThatCode(() -> new Webhook(SECRET).verify(body, headers(seconds, signature)))
                    .doesNotThrowAnyException();
            assertThatThrownBy(() -> new Webhook(SECRET).verify(body + " ", headers(seconds, signature)))
                    .isInstanceOf(WebhookVerificationException.class);
        }
    }

    @Test
    @Tag("SG-1")
    void theStandardLibraryAcceptsAGeneratedSecret() {
        WebhookSecret secret = WebhookSecret.generate();
        long seconds = Instant.now().getEpochSecond();
        String signature = StandardWebhooks.sign(secret.key(), ID, seconds, "{}".getBytes(UTF_8));

        assertThatCode(() -> new Webhook(secret.reveal()).verify("{}", headers(seconds, signature)))
                .doesNotThrowAnyException();
    }

    private static HttpHeaders headers(long seconds, String signature) {
        return HttpHeaders.of(
                Map.of(
                        "webhook-id", List.of(ID),
                        "webhook-timestamp", List.of(Long.toString(seconds)),
                        "webhook-signature", List.of(signature)),
                (name, value) -> true);
    }
}
