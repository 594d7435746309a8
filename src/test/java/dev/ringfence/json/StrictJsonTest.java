package dev.ringfence.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("RC-8")
class StrictJsonTest {

    @ParameterizedTest(name = "{0} is {1} at {2}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\":1,\"a\":2} | DUPLICATE_KEY | /a",
                "{\"a\":1,\"\\u0061\":2} | DUPLICATE_KEY | /a",
                "{\"r\":[{\"k\":1,\"k\":1}]} | DUPLICATE_KEY | /r/0/k",
                "{} x | SYNTAX | ``",
                "{}{} | TRAILING_TEXT | ``",
                "[1,] | SYNTAX | /1",
                "{\"a\":01} | SYNTAX | /a",
                "{\"a\":+1} | SYNTAX | /a",
                "{\"a\":NaN} | SYNTAX | /a",
                "{a:1} | SYNTAX | ``",
                "{\"a\":1} // end | SYNTAX | ``",
                "{\"a\" | SYNTAX | /a",
            })
    void refusesWhatIsNoDocument(String text, String code, String pointer) {
        BadJson bad = refusal(text);

        assertThat(bad.kind()).isEqualTo(BadJson.Kind.MALFORMED);
        assertThat(bad.code()).isEqualTo(code);
        assertThat(bad.pointer()).isEqualTo(pointer);
    }

    @ParameterizedTest(name = "{0} is {1} at {2}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\":{\"b\":[0,\"x\\u0000y\"]}} | NUL_CHARACTER | /a/b/1",
                "{\"a\":\"\\ud800\"} | LONE_SURROGATE | /a",
                "{\"a\":\"\\udc00x\"} | LONE_SURROGATE | /a",
                "{\"a\":\"\\ud800\\ud800\"} | LONE_SURROGATE | /a",
                "{\"p/q\":{\"~\":\"\\u0000\"}} | NUL_CHARACTER | /p~1q/~0",
                "{\"a\":1e131072} | OUT_OF_RANGE | /a",
                "{\"a\":1e-16384} | OUT_OF_RANGE | /a",
                "{\"a\":1e99999999999} | OUT_OF_RANGE | /a",
                "{\"a\":-1e-99999999999} | OUT_OF_RANGE | /a",
            })
    void namesTheValueThatCannotBeStored(String text, String code, String pointer) {
        BadJson bad = refusal(text);

        assertThat(bad.kind()).isEqualTo(BadJson.Kind.UNSUPPORTED_VALUE);
        assertThat(bad.code()).isEqualTo(code);
        assertThat(bad.pointer()).isEqualTo(pointer);
    }

    @Test
    void namesEveryValueThatCannotBeStored() {
        assertThat(refusal("{\"a\":\"\\u0000\",\"b\":1e999999,\"\\u0000\":1}").errors())
                .extracting(FieldError::code)
                .containsExactly("NUL_CHARACTER", "OUT_OF_RANGE", "NUL_CHARACTER");
    }

    @Test
    void refusesNumbersThatWouldFillTheDatabaseWrittenOut() {
        assertThat(StrictJson.parse(bytes("[1e100000]")).get(0).decimalValue())
                .isEqualByComparingTo(new BigDecimal("1e100000"));
        assertThat(refusal("[" + "1e100000,".repeat(10) + "1e100000]").pointer())
                .isEqualTo("/10");
    }

    @Test
    void refusesNumbersOfTooManyCharacters() {
        assertThat(refusal("{\"a\":" + "1".repeat(1001) + "}").code()).isEqualTo("OUT_OF_RANGE");
    }

    @Test
    void refusesBrokenUtf8AndOtherEncodings() {
        byte[] overlong = {'"', (byte) 0xC0, (byte) 0x80, '"'};
        byte[] truncated = {'"', (byte) 0xE2, (byte) 0x82, '"'};
        byte[] surrogate = {'"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, '"'};

        assertThat(List.of(overlong, truncated, surrogate))
                .allSatisfy(document -> assertThat(refusal(document).code()).isEqualTo("BAD_ENCODING"));
        assertThat(refusal("{}".getBytes(StandardCharsets.UTF_16)).kind()).isEqualTo(BadJson.Kind.MALFORMED);
        assertThat(refusal("\ufeff{}").kind()).isEqualTo(BadJson.Kind.MALFORMED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  \n"})
    void refusesEmptyDocuments(String text) {
        assertThat(refusal(text).code()).isEqualTo("EMPTY");
    }

    @Test
    void boundsDepthAndSize() {
        String deepest = "[".repeat(StrictJson.MAX_DEPTH) + "]".repeat(StrictJson.MAX_DEPTH);

        assertThat(StrictJson.parse(bytes(deepest)).isArray()).isTrue();
        assertThat(refusal("[" + deepest + "]").code()).isEqualTo("TOO_DEEP");
        assertThat(refusal("[".repeat(500_000)).code()).isEqualTo("TOO_DEEP");
        assertThat(catchThrowableOfType(BadJson.class, () -> StrictJson.parse(new byte[11], 10))
                        .kind())
                .isEqualTo(BadJson.Kind.TOO_LARGE);
    }

    @Test
    void keepsNumbersExact() {
        JsonNode numbers = StrictJson.parse(bytes("[1.10,1e3,-0,123456789012345678901234567890,0.1]"));

        assertThat(numbers.get(0).decimalValue()).isEqualTo(new BigDecimal("1.10"));
        assertThat(numbers.get(3).bigIntegerValue()).isEqualTo(new BigInteger("123456789012345678901234567890"));
        assertThat(StrictJson.write(numbers))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("[1.10,1E+3,0,123456789012345678901234567890,0.1]");
    }

    @Test
    void keepsTheOrderOfKeysAndEveryCharacter() {
        String text = "{\"zebra\":1,\"alpha\":\"\\u001B é \uD83D\uDE00\",\"_\":null}";

        assertThat(StrictJson.write(StrictJson.parse(bytes(text))))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo(text);
    }

    @Test
    void writesRecordsAndMaps() {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("next", null);
        map.put("at", Instant.parse("2026-01-02T03:04:05.123456789Z"));
        map.put("error", new Sample("/x", null));

        assertThat(StrictJson.write(map))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("{\"next\":null,\"at\":\"2026-01-02T03:04:05.123456Z\",\"error\":{\"z\":\"/x\"}}");
    }

    record Sample(String z, @Nullable String a) {}

    private static BadJson refusal(String text) {
        return refusal(bytes(text));
    }

    private static BadJson refusal(byte[] document) {
        return catchThrowableOfType(BadJson.class, () -> StrictJson.parse(document));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
