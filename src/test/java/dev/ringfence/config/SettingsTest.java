package dev.ringfence.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {

    private static final String KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    @Test
    void hasDefaultsForAllButTheSecretsKey() {
        Settings settings = with(Map.of());

        assertThat(settings.schemaMigrate()).isTrue();
        assertThat(settings.bootstrapAdminKey()).isEmpty();
        assertThat(settings.egressAllow()).isEmpty();
        assertThat(settings.egressHttp2()).isTrue();
        assertThat(settings.maxSkew()).isEqualTo(Duration.ofSeconds(1));
        assertThat(settings.deliveryWorkers()).isEqualTo(3);
        assertThat(settings.maxAttempts()).isEqualTo(6);
        assertThat(settings.maxAge()).isEqualTo(Duration.ofHours(24));
        assertThat(settings.waits())
                .extracting(Duration::toSeconds)
                .containsExactly(60L, 300L, 1_800L, 7_200L, 21_600L);
        assertThat(settings.secretsKeyBytes()).hasSize(32).startsWith(0, 1, 2);
        assertThat(settings.node()).isNotBlank().isNotEqualTo(with(Map.of()).node());
    }

    @Test
    void readsWhatIsSet() {
        Settings settings = with(Map.of(
                "ringfence.egress.allow", " 127.0.0.0/8 , localhost,",
                "ringfence.delivery.waits", "1,2",
                "ringfence.delivery.enabled", "false",
                "ringfence.egress.http2", "false",
                "ringfence.node", "n1"));

        assertThat(settings.egressAllow()).containsExactly("127.0.0.0/8", "localhost");
        assertThat(settings.waits()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
        assertThat(settings.deliveryEnabled()).isFalse();
        assertThat(settings.egressHttp2()).isFalse();
        assertThat(settings.node()).isEqualTo("n1");
    }

    @Test
    @Tag("RT-1")
    void eventsAreKeptAsLongAsDeliveriesWhereNothingElseIsSaid() {
        assertThat(with(Map.of()).retentionFinished()).isEqualTo(Duration.ofDays(90));
        assertThat(with(Map.of()).retentionEvents()).isEqualTo(Duration.ofDays(90));
        assertThat(with(Map.of("ringfence.retention.finished", "P20D")).retentionEvents())
                .isEqualTo(Duration.ofDays(20));
        assertThat(with(Map.of("ringfence.retention.finished", "P20D", "ringfence.retention.events", "P30D"))
                        .retentionEvents())
                .isEqualTo(Duration.ofDays(30));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ringfence.delivery.workers | 17 | from 1 to 16",
                "ringfence.delivery.workers | three | from 1 to 16",
                "ringfence.egress.http2 | h2c | true",
                "ringfence.delivery.window | 0 | from 1 to 1000",
                "ringfence.delivery.max-attempts | 21 | from 1 to 20",
                "ringfence.delivery.max-age | 1 day | from PT1S to PT720H",
                "ringfence.delivery.max-age | PT721H | from PT1S to PT720H",
                "ringfence.delivery.waits | 60,-1 | from 0 to 604800",
                "ringfence.delivery.enabled | yes | true or false",
                "ringfence.clock.max-skew-ms | 0 | from 1 to 60000",
                "ringfence.retention.finished | P13D | from PT336H",
                "ringfence.retention.finished | 90 | an ISO 8601 duration",
                "ringfence.retention.events | P89D | from PT2160H",
                "ringfence.node | a b | visible ASCII",
            })
    void namesPropertyValueAndRange(String name, String value, String range) {
        assertThatThrownBy(() -> with(Map.of(name, value)))
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining(name)
                .hasMessageContaining(range);
    }

    @Test
    void reportsEveryFaultAtOnce() {
        assertThatThrownBy(() -> with(Map.of("ringfence.delivery.workers", "99", "ringfence.delivery.window", "99999")))
                .hasMessageContaining("ringfence.delivery.workers is \"99\"")
                .hasMessageContaining("ringfence.delivery.window is \"99999\"");
    }

    @Test
    void keepsWaitsWithinTheAge() {
        assertThat(with(Map.of("ringfence.delivery.max-age", "PT1M", "ringfence.delivery.waits", "59"))
                        .waits())
                .containsExactly(Duration.ofSeconds(59));
        assertThatThrownBy(() -> with(Map.of("ringfence.delivery.max-age", "PT1M", "ringfence.delivery.waits", "60")))
                .hasMessageContaining("ringfence.delivery.waits")
                .hasMessageContaining("ringfence.delivery.max-age");
    }

    @Test
    void boundsTheRequestsInFlight() {
        assertThat(with(Map.of()).mostInFlight()).isEqualTo(2_000);
        assertThat(with(Map.of("ringfence.delivery.workers", "16")).deliveryWindow())
                .isEqualTo(195);
        assertThatThrownBy(() -> with(Map.of("ringfence.delivery.workers", "16", "ringfence.delivery.window", "196")))
                .hasMessageContaining("ringfence.delivery.window is \"196\", permitted is at most 195")
                .hasMessageContaining("ringfence.delivery.workers=16");
        assertThat(with(Map.of("ringfence.delivery.workers", "16", "ringfence.delivery.window", "195"))
                        .mostInFlight())
                .isEqualTo(4_095);
    }

    @Test
    void wantsPoolsThatAreLargeEnoughForTheWorkers() {
        assertThat(with(Map.of("ringfence.delivery.workers", "16")).deliveryWorkers())
                .isEqualTo(16);
        assertThatThrownBy(() -> with(Map.of(
                        "ringfence.delivery.workers", "4",
                        "ringfence.db.pool.max", "17",
                        "ringfence.db.pinned.pool.max", "15",
                        "ringfence.batch.threads", "4")))
                .hasMessageContaining(
                        "ringfence.db.pool.max is \"17\", permitted is at least 18 with ringfence.delivery.workers = 4")
                .hasMessageContaining("ringfence.db.pinned.pool.max is \"15\"")
                .hasMessageContaining("at least 16 with ringfence.delivery.workers = 4")
                .hasMessageContaining("ringfence.batch.threads is \"4\"")
                .hasMessageContaining("at least 5 with");
    }

    @Test
    void takesPoolsThatAreJustLargeEnough() {
        assertThat(with(Map.of(
                                "ringfence.delivery.workers", "4",
                                "ringfence.db.pool.max", "18",
                                "ringfence.db.pinned.pool.max", "16",
                                "ringfence.batch.threads", "5"))
                        .deliveryWorkers())
                .isEqualTo(4);
    }

    @Test
    @Tag("SC-2")
    void neverShowsASecret() {
        assertThatThrownBy(() -> with(Map.of("ringfence.secrets.key", "c2VjcmV0")))
                .hasMessageContaining("ringfence.secrets.key")
                .hasMessageNotContaining("c2VjcmV0");
        assertThatThrownBy(() -> with(Map.of("ringfence.bootstrap.admin-key", "tooshort")))
                .hasMessageContaining("ringfence.bootstrap.admin-key")
                .hasMessageNotContaining("tooshort");
        assertThatThrownBy(() -> Settings.from(Map.of())).hasMessageContaining("ringfence.secrets.key is not set");
        assertThat(with(Map.of("ringfence.bootstrap.admin-key", "x".repeat(32))).toString())
                .doesNotContain(KEY)
                .doesNotContain("xxxx");
    }

    private static Settings with(Map<String, String> values) {
        Map<String, String> all = new HashMap<>(Map.of("ringfence.secrets.key", KEY));
        all.putAll(values);
        return Settings.from(all);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://proxy.test:3128",
                "http://10.0.0.1:80/",
                "http://[fd00::1]:3128",
                "http://user:p%40ss@proxy.test:3128"
            })
    void theProxyIsAHostAndAPort(String url) {
        assertThat(with(Map.of("ringfence.egress.proxy", url)).egressProxy())
                .map(SecretValue::text)
                .contains(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://canary.test:3128",
                "socks://canary.test:1080",
                "http://canary.test",
                "http://canary.test:0",
                "http://canary.test:65536",
                "http://canary.test:3128/path",
                "http://canary@proxy.test:3128",
                "http://user:can@ary@proxy.test:3128",
                "canary.test:3128"
            })
    void anotherProxyStopsTheStartAndIsNotShown(String url) {
        assertThatThrownBy(() -> with(Map.of("ringfence.egress.proxy", url)))
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining("ringfence.egress.proxy")
                .hasMessageNotContaining("canary");
    }
}
