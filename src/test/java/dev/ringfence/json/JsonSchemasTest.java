package dev.ringfence.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.util.BufferRecyclers;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("SC-3")
class JsonSchemasTest {

    private final JsonSchemas schemas = new JsonSchemas();

    @ParameterizedTest(name = "{0} is {1} at {2}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | REQUIRED | /name",
                "[] | WRONG_TYPE | ``",
                "{\"name\":\"a\",\"x/y\":1} | UNKNOWN_FIELD | /x~1y",
                "{\"name\":1} | WRONG_TYPE | /name",
                "{\"name\":null} | WRONG_TYPE | /name",
                "{\"name\":\"\"} | TOO_SHORT | /name",
                "{\"name\":\"abcdef\"} | TOO_LONG | /name",
                "{\"name\":\"a\",\"count\":10} | OUT_OF_RANGE | /count",
                "{\"name\":\"a\",\"count\":-1} | OUT_OF_RANGE | /count",
                "{\"name\":\"a\",\"count\":1.5} | WRONG_TYPE | /count",
                "{\"name\":\"a\",\"kind\":\"C\"} | NOT_ALLOWED | /kind",
                "{\"name\":\"a\",\"id\":\"x\"} | BAD_FORMAT | /id",
                "{\"name\":\"a\",\"at\":\"yesterday\"} | BAD_FORMAT | /at",
                "{\"name\":\"a\",\"code\":\"A\"} | BAD_FORMAT | /code",
                "{\"name\":\"a\",\"items\":[]} | TOO_FEW | /items",
                "{\"name\":\"a\",\"items\":[{\"x\":true},{\"x\":true}]} | DUPLICATE | /items",
                "{\"name\":\"a\",\"items\":[{\"x\":true},{}]} | REQUIRED | /items/1/x",
                "{\"name\":\"a\",\"items\":[{\"x\":true,\"y\":1}]} | UNKNOWN_FIELD | /items/0/y",
            })
    void namesThePlaceAndTheCode(String document, String code, String pointer) {
        List<FieldError> errors = validate(document);

        assertThat(errors).singleElement().satisfies(error -> {
            assertThat(error.code()).isEqualTo(code);
            assertThat(error.pointer()).isEqualTo(pointer);
            assertThat(error.detail()).isNotBlank();
        });
    }

    @Test
    void acceptsWhatTheSchemaAllows() {
        assertThat(validate("{\"name\":\"abc\",\"count\":3,\"kind\":\"A\",\"at\":\"2026-01-02T03:04:05.5+02:00\","
                        + "\"id\":\"00000000-0000-4000-8000-000000000000\",\"items\":[{\"x\":false}]}"))
                .isEmpty();
    }

    @Test
    void reportsEverythingInOrderAndNeverTheValue() {
        List<FieldError> errors = validate("{\"zz\":\"hunter2\",\"name\":\"hunter2\",\"kind\":\"hunter2\"}");

        assertThat(errors).extracting(FieldError::pointer).containsExactly("/kind", "/name", "/zz");
        assertThat(errors.toString()).doesNotContain("hunter2");
    }

    @Test
    void speaksTheSameWordsInEveryLocale() {
        Locale before = Locale.getDefault();
        List<FieldError> english = validate("{\"count\":-1}");
        try {
            Locale.setDefault(Locale.forLanguageTag("tr-TR"));
            assertThat(new JsonSchemas()
                            .validate(
                                    "test-sample", StrictJson.parse("{\"count\":-1}".getBytes(StandardCharsets.UTF_8))))
                    .isEqualTo(english);
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void knowsNoSchemaThatIsNotThere() {
        assertThatThrownBy(() -> schemas.validate("no-such-schema", StrictJson.parse(new byte[] {'1'})))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** A server's threads outlive a deployment: what stays with them keeps its classes. */
    @Test
    @Tag("AD-1")
    void leavesNoBuffersWithTheThread() throws Exception {
        AtomicReference<Object> left = new AtomicReference<>();
        Field buffers = BufferRecyclers.class.getDeclaredField("_recyclerRef");
        buffers.setAccessible(true);
        Thread thread = new Thread(() -> {
            try {
                new JsonSchemas()
                        .validate("test-sample", StrictJson.parse("{\"kind\":\"C\"}".getBytes(StandardCharsets.UTF_8)));
                left.set(((ThreadLocal<?>) buffers.get(null)).get());
            } catch (IllegalAccessException e) {
                left.set(e);
            }
        });
        thread.start();
        thread.join();

        assertThat(left).hasNullValue();
    }

    private List<FieldError> validate(String document) {
        return schemas.validate("test-sample", StrictJson.parse(document.getBytes(StandardCharsets.UTF_8)));
    }
}
