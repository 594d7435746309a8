package dev.ringfence.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringfence.config.Settings;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("SC-2")
class SecretBoxTest {

    private static final byte[] SECRET = "whsec_c2VjcmV0".getBytes(StandardCharsets.UTF_8);

    private final SecretBox box = box(1);

    @Test
    void opensWhatItSealed() {
        assertThat(box.open("a", box.seal("a", SECRET))).isEqualTo(SECRET);
        assertThat(box(1).open("a", box.seal("a", SECRET))).isEqualTo(SECRET);
        assertThat(box.open("a", box.seal("a", new byte[0]))).isEmpty();
    }

    @Test
    void hidesTheSecretAndThatItIsTheSame() {
        byte[] sealed = box.seal("a", SECRET);

        assertThat(new String(sealed, StandardCharsets.ISO_8859_1))
                .doesNotContain("whsec")
                .doesNotContain("c2Vj");
        assertThat(box.seal("a", SECRET)).isNotEqualTo(sealed);
    }

    @Test
    void refusesAnotherPurposeAndAnotherKey() {
        byte[] sealed = box.seal("a", SECRET);

        assertThatThrownBy(() -> box.open("b", sealed)).isInstanceOf(SecretUnreadable.class);
        assertThatThrownBy(() -> box(2).open("a", sealed))
                .isInstanceOf(SecretUnreadable.class)
                .hasMessageContaining("ringfence.secrets.key");
    }

    @Test
    void refusesEveryChangedByteAndEveryCut() {
        byte[] sealed = box.seal("a", SECRET);
        for (int i = 0; i < sealed.length; i++) {
            byte[] changed = sealed.clone();
            changed[i] ^= 1;
            assertThatThrownBy(() -> box.open("a", changed)).as("byte %d", i).isInstanceOf(SecretUnreadable.class);
        }
        for (int length = 0; length < sealed.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(sealed, length);
            assertThatThrownBy(() -> box.open("a", cut)).isInstanceOf(SecretUnreadable.class);
        }
    }

    private static SecretBox box(int key) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) key;
        return new SecretBox(Settings.from(
                Map.of("ringfence.secrets.key", Base64.getEncoder().encodeToString(bytes))));
    }
}
