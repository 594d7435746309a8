package dev.ringfence.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.ringfence.transport.Receipt.Result;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("HT-2")
class AckParserTest {
    private static final List<String> APPS = List.of("shop", "büro");
    private static final String VALID = """
            {"ok":true,"stored":1,"deduped":1,"scope":"app","results":[
             {"appId":"shop","scope":"app","id":"1","more":[1,2]},
             {"appId":"büro","scope":"app","id":"9223372036854775807"}],"took":0.25,"note":null}""";

    @Test
    void keepsTheCheckedFieldsOnly() {
        assertThat(AckParser.parse(VALID.getBytes(UTF_8), APPS))
                .contains(new Receipt(
                        true,
                        1,
                        1,
                        "app",
                        List.of(new Result("shop", "app", "1"), new Result("büro", "app", "9223372036854775807"))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"ok\":true | \"ok\":false",
                "\"ok\":true | \"ok\":\"true\"",
                "\"ok\":true | \"ok\":1",
                "\"ok\":true | \"ok\":null",
                "\"ok\":true, | ''",
                "\"ok\":true | \"ok\":false,\"ok\":true",
                "\"ok\":true | \"ok\":true,\"\\u006fk\":true",
                "\"took\":0.25 | \"took\":1,\"took\":1",
                "\"more\":[1,2] | \"id\":\"1\"",
                "\"more\":[1,2] | \"more\":{\"a\":1,\"a\":2}",
                "\"stored\":1 | \"stored\":2",
                "\"stored\":1 | \"stored\":0",
                "\"stored\":1 | \"stored\":1.0",
                "\"stored\":1 | \"stored\":\"1\"",
                "\"stored\":1 | \"stored\":18446744073709551617",
                "\"stored\":1 | \"stored\":1e400",
                "\"stored\":1,\"deduped\":1 | \"stored\":3,\"deduped\":-1",
                "\"stored\":1,\"deduped\":1 | \"stored\":9223372036854775807,\"deduped\":-9223372036854775805",
                "\"deduped\":1, | ''",
                "\"scope\":\"app\",\"results\" | \"scope\":\"App\",\"results\"",
                "\"scope\":\"app\",\"results\" | \"results\"",
                "\"scope\":\"app\",\"id\":\"1\" | \"scope\":\"tenant\",\"id\":\"1\"",
                "\"id\":\"1\" | \"id\":1",
                "\"id\":\"1\" | \"id\":\"\"",
                "\"id\":\"1\" | \"id\":\"-1\"",
                "\"id\":\"1\" | \"id\":\"١\"",
                "\"id\":\"1\" | \"id\":\"12345678901234567890\"",
                "\"appId\":\"shop\" | \"appId\":\"other\"",
                "\"appId\":\"shop\" | \"appId\":null",
                "\"note\":null} | \"note\":null} {}",
                "\"note\":null} | \"note\":null}x",
                "\"note\":null} | \"note\":null",
                "\"note\":null | \"note\":NaN",
                "\"results\":[ | \"results\":[{\"appId\":\"shop\",\"scope\":\"app\",\"id\":\"1\"},"
            })
    void whateverIsOddMakesItNone(String text, String odd) {
        assertThat(VALID).contains(text);
        assertThat(AckParser.parse(VALID.replace(text, odd).getBytes(UTF_8), APPS))
                .isEmpty();
    }

    @Test
    void theOrderAndTheNumberOfResultsMustBeThoseOfTheEvents() {
        byte[] body = VALID.getBytes(UTF_8);

        assertThat(AckParser.parse(body, List.of("büro", "shop"))).isEmpty();
        assertThat(AckParser.parse(body, List.of("shop"))).isEmpty();
        assertThat(AckParser.parse(body, List.of("shop", "büro", "shop"))).isEmpty();
    }

    @Test
    void onlyUtf8IsRead() {
        assertThat(AckParser.parse(VALID.getBytes(UTF_16), APPS)).isEmpty();
        assertThat(AckParser.parse(VALID.getBytes(ISO_8859_1), APPS)).isEmpty();
        assertThat(AckParser.parse(("\uFEFF" + VALID).getBytes(UTF_8), APPS)).isEmpty();
        assertThat(AckParser.parse(new byte[0], APPS)).isEmpty();
        assertThat(AckParser.parse("[".repeat(8_192).getBytes(UTF_8), APPS)).isEmpty();
    }

    @Test
    void noBytesMakeItThrow() {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] body = VALID.getBytes(UTF_8);
            for (int changes = random.nextInt(3); changes >= 0; changes--) {
                body[random.nextInt(body.length)] = (byte) random.nextInt();
            }
            byte[] cut = Arrays.copyOf(body, random.nextInt(body.length));
            assertThat(AckParser.parse(cut, APPS)).isEmpty();
            assertThatCode(() -> AckParser.parse(body, APPS)).doesNotThrowAnyException();
        }
    }
}
