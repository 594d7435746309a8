package dev.ringfence.recording;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.outbox.RawJson;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("RC-5")
class RawSlicesTest {
    private static RawSlices of(String json) {
        return RawSlices.of(json.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"log\":\"\\u001B[31m é\"}",
                "{\"zebra\":1, \"alpha\":1e3, \"z\":-0 }",
                "{\"a\":1.10,\"b\":1E+2,\"c\":\"\\/\\u00e9😀\"}",
                "{ \"a\" : [ { \"b\" : {\n\t\"c\" : [] } } ] ,\r\n \"}\" : \"{\" }",
                "{\"n\":123456789012345678901234567890123456789012345678901234567890}"
            })
    void a_payload_is_cut_out_as_it_was_written(String payload) {
        String body = "{ \"epoch\" : \"é\", \"events\" : [ {\"name\":\"x😀\"}, {\"metadata\":{},\n \"payload\" : "
                + payload + " , \"actor\":{\"id\":\"1\"} } ] }";
        RawSlices slices = of(body);
        assertThat(slices.at("/events/1/payload")).isEqualTo(RawJson.of(payload));
        assertThat(slices.at("/events/1/metadata")).isEqualTo(RawJson.EMPTY_OBJECT);
        assertThat(slices.at("/events/1/actor")).isEqualTo(RawJson.of("{\"id\":\"1\"}"));
    }

    @Test
    void there_is_no_slice_where_there_is_no_object() {
        RawSlices slices = of("{\"events\":[{\"payload\":[1],\"metadata\":null}],\"state\":{\"a\":1}}");
        assertThat(slices.at("/events/0/payload")).isNull();
        assertThat(slices.at("/events/0/metadata")).isNull();
        assertThat(slices.at("/events/1")).isNull();
        assertThat(Objects.requireNonNull(slices.at("/state")).text()).isEqualTo("{\"a\":1}");
    }
}
