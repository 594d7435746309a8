package dev.ringfence.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("SC-1")
class ApiKeySecretTest {

    @Test
    void mintsSecretsThatNobodyGuesses() {
        assertThat(ApiKeySecret.mint().reveal()).matches("rfk_[A-Za-z0-9_-]{43}");
        assertThat(ApiKeySecret.mint().reveal())
                .isNotEqualTo(ApiKeySecret.mint().reveal());
    }

    @Test
    void hashesTheWholeSecret() {
        assertThat(HexFormat.of().formatHex(ApiKeySecret.of("abc").hash()))
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    @Test
    void doesNotShowItself() {
        assertThat(ApiKeySecret.of("hunter2-hunter2")).asString().doesNotContain("hunter2");
    }
}
