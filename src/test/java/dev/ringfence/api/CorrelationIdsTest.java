package dev.ringfence.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.config.Settings;
import dev.ringfence.security.Macs;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("EV-4")
class CorrelationIdsTest {

    private final CorrelationIds ids = ids(1);
    private final UUID app = UUID.randomUUID();

    @Test
    void recognisesItsOwn() {
        CorrelationId id = ids.issue(app);

        assertThat(id.value()).matches("cor_[A-Za-z0-9_-]{44}");
        assertThat(ids.accept(app, id.value())).contains(id);
        assertThat(ids.issue(app)).isNotEqualTo(id);
    }

    @Test
    void refusesThatOfAnotherApplicationOrInstallation() {
        assertThat(ids.accept(UUID.randomUUID(), ids.issue(app).value())).isEmpty();
        assertThat(ids.accept(null, ids.issue(app).value())).isEmpty();
        assertThat(ids.accept(app, ids.issue(null).value())).isEmpty();
        assertThat(ids(2).accept(app, ids.issue(app).value())).isEmpty();
    }

    @Test
    void refusesEveryChangedBit() {
        byte[] id = Base64.getUrlDecoder().decode(ids.issue(app).value().substring(4));
        for (int bit = 0; bit < id.length * 8; bit++) {
            byte[] forged = id.clone();
            forged[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThat(ids.accept(
                            app,
                            "cor_" + Base64.getUrlEncoder().withoutPadding().encodeToString(forged)))
                    .as("bit %d", bit)
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "cor_", "cor_%%%%", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
    void refusesWhatIsNone(String sent) {
        assertThat(ids.accept(app, sent)).isEmpty();
    }

    private static CorrelationIds ids(int key) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) key;
        Settings settings = Settings.from(
                Map.of("ringfence.secrets.key", Base64.getEncoder().encodeToString(bytes)));
        return new CorrelationIds(new Macs(settings));
    }
}
