package dev.ringfence.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("HT-3")
class PayloadCheckTest {
    private static final String EVENT = "{\"appId\":\"shop\"}";

    @Test
    void oneEventOrUpToFiftyInOrder() {
        assertThat(PayloadCheck.appIds(EVENT.getBytes(UTF_8))).contains(List.of("shop"));
        assertThat(PayloadCheck.appIds("{\"events\":[{\"appId\":\"b\"},{\"appId\":\"a\"}]}".getBytes(UTF_8)))
                .contains(List.of("b", "a"));
        assertThat(PayloadCheck.appIds(batch(50))).contains(Collections.nCopies(50, "shop"));
    }

    @Test
    void noneAndMoreThanFiftyAreMalformed() {
        assertThat(PayloadCheck.appIds(batch(0))).isEmpty();
        assertThat(PayloadCheck.appIds(batch(51))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "\"appId\"",
                "{}",
                "{\"appId\":null}",
                "{\"appId\":1}",
                "{\"events\":null,\"appId\":\"shop\"}",
                "{\"events\":{\"appId\":\"shop\"}}",
                "{\"events\":[{\"appId\":\"shop\"},7]}",
                "{\"events\":[{\"appId\":\"shop\"},{}]}",
                "{\"appId\":\"a\",\"appId\":\"b\"}",
                "{\"appId\":\"a\"}{}",
                "{\"appId\":\"a\""
            })
    void anythingElseIsMalformed(String body) {
        assertThat(PayloadCheck.appIds(body.getBytes(UTF_8))).isEmpty();
    }

    private static byte[] batch(int events) {
        return ("{\"events\":[" + String.join(",", Collections.nCopies(events, EVENT)) + "]}").getBytes(UTF_8);
    }
}
