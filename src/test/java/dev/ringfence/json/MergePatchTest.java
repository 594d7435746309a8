package dev.ringfence.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MergePatchTest {

    /** The examples of RFC 7396, appendix A. */
    @ParameterizedTest
    @Tag("SB-1")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {"a":"b"}|{"a":"c"}|{"a":"c"}
                    {"a":"b"}|{"b":"c"}|{"a":"b","b":"c"}
                    {"a":"b"}|{"a":null}|{}
                    {"a":"b","b":"c"}|{"a":null}|{"b":"c"}
                    {"a":["b"]}|{"a":"c"}|{"a":"c"}
                    {"a":"c"}|{"a":["b"]}|{"a":["b"]}
                    {"a":{"b":"c"}}|{"a":{"b":"d","c":null}}|{"a":{"b":"d"}}
                    {"a":[{"b":"c"}]}|{"a":[1]}|{"a":[1]}
                    ["a","b"]|["c","d"]|["c","d"]
                    {"a":"b"}|["c"]|["c"]
                    {"a":"foo"}|null|null
                    {"a":"foo"}|"bar"|"bar"
                    {"e":null}|{"a":1}|{"e":null,"a":1}
                    [1,2]|{"a":"b","c":null}|{"a":"b"}
                    {}|{"a":{"bb":{"ccc":null}}}|{"a":{"bb":{}}}
                    """)
    void the_examples_of_the_rfc(String target, String patch, String result) {
        JsonNode before = parse(target);
        assertThat(MergePatch.apply(before, parse(patch))).isEqualTo(parse(result));
        assertThat(before).as("the target is left alone").isEqualTo(parse(target));
    }

    @Test
    void an_outline_keeps_what_the_patch_removes() {
        assertThat(MergePatch.outline(parse("{\"a\":1,\"o\":{\"x\":1}}"), parse("{\"a\":null,\"o\":{\"y\":null}}")))
                .isEqualTo(parse("{\"a\":null,\"o\":{\"x\":1,\"y\":null}}"));
    }

    private static JsonNode parse(String text) {
        return StrictJson.parse(text.getBytes(StandardCharsets.UTF_8));
    }
}
