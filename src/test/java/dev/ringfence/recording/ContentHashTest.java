package dev.ringfence.recording;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.json.StrictJson;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("RC-4")
class ContentHashTest {
    private static byte[] hash(String json) {
        return ContentHash.of(StrictJson.parse(json.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"a\":1,\"b\":2} | { \"b\":2, \"a\":1 }",
                "{\"a\":1e3} | {\"a\":1000}",
                "{\"a\":1.50} | {\"a\":15e-1}",
                "{\"a\":-0} | {\"a\":0}",
                "{\"a\":\"\\u00e9\"} | {\"a\":\"é\"}"
            })
    void the_same_value_has_the_same_hash_however_it_is_printed(String one, String other) {
        assertThat(hash(one)).isEqualTo(hash(other));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"a\":1} | {\"a\":\"1\"}",
                "{\"a\":1} | {\"a\":2}",
                "{\"a\":1} | {\"b\":1}",
                "{\"a\":null} | {}",
                "{\"a\":null} | {\"a\":false}",
                "{\"a\":[]} | {\"a\":{}}",
                "{\"a\":[1,2]} | {\"a\":[2,1]}",
                "{\"a\":[[1],2]} | {\"a\":[1,[2]]}",
                "{\"a\":\"b\",\"c\":\"d\"} | {\"a\":\"bc\",\"\":\"d\"}"
            })
    void another_value_has_another_hash(String one, String other) {
        assertThat(hash(one)).isNotEqualTo(hash(other));
    }
}
