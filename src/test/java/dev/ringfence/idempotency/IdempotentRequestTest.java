package dev.ringfence.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringfence.api.ApiProblem;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("RC-12")
class IdempotentRequestTest {

    private static final UUID CALLER = UUID.randomUUID();

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "\u00e4", "a\tb", "a\u0000"})
    void refusesKeysOfOtherCharacters(String key) {
        assertThatThrownBy(() -> IdempotentRequest.of(CALLER, "/p", key, new byte[0]))
                .isInstanceOf(ApiProblem.class);
    }

    @Test
    void boundsTheKey() {
        assertThat(IdempotentRequest.of(CALLER, "/p", "k".repeat(255), new byte[0]))
                .isNotNull();
        assertThatThrownBy(() -> IdempotentRequest.of(CALLER, "/p", "k".repeat(256), new byte[0]))
                .isInstanceOf(ApiProblem.class);
    }

    @Test
    void keepsLongPathsByTheirHash() {
        String path = IdempotentRequest.of(CALLER, "/" + "p".repeat(4000), "k", new byte[0])
                .path();

        assertThat(path).matches("sha256:[0-9a-f]{64}");
        assertThat(IdempotentRequest.of(CALLER, "/" + "p".repeat(4001), "k", new byte[0])
                        .path())
                .isNotEqualTo(path);
        assertThat(IdempotentRequest.of(CALLER, "/p", "k", new byte[0]).path()).isEqualTo("/p");
    }

    @Test
    void tellsBodiesApart() {
        byte[] one = IdempotentRequest.of(CALLER, "/p", "k", "1".getBytes(StandardCharsets.UTF_8))
                .bodySha256();

        assertThat(one).hasSize(32);
        assertThat(IdempotentRequest.of(CALLER, "/p", "k", "2".getBytes(StandardCharsets.UTF_8))
                        .bodySha256())
                .isNotEqualTo(one);
    }
}
