package dev.ringfence.signing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("SG-1")
class WebhookSecretTest {
    @ParameterizedTest
    @ValueSource(strings = {"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", "v1,whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"})
    void afterThePrefixTheKeyIsBase64(String text) {
        assertThat(HexFormat.of().formatHex(WebhookSecret.parse(text).key()))
                .isEqualTo("000102030405060708090a0b0c0d0e0f1011121314151617");
    }

    @Test
    void withoutAPrefixTheTextIsTheKey() {
        assertThat(WebhookSecret.parse("It's a Secret to Everybody é").key())
                .isEqualTo("It's a Secret to Everybody é".getBytes(UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "   ", "whsec_", "v1,whsec_", "whsec_====", "whsec_not!base64"})
    void whatHoldsNoKeyIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> WebhookSecret.parse(text));
    }

    @Test
    void theTextOfARefusalAndOfASecretHidesIt() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WebhookSecret.parse("whsec_hunter2!"))
                .withMessageNotContaining("hunter2")
                .withNoCause();
        assertThat(WebhookSecret.parse("hunter2")).hasToString("WebhookSecret[hidden]");
    }

    @Test
    void generatedSecretsDifferAndRoundTrip() {
        WebhookSecret one = WebhookSecret.generate();

        assertThat(WebhookSecret.parse(one.reveal()).key()).hasSize(32).isEqualTo(one.key());
        assertThat(WebhookSecret.generate().key()).isNotEqualTo(one.key());
    }
}
