package dev.ringfence.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("SC-3")
class CursorTest {

    @Test
    void comesBackAsItWasGiven() {
        Cursor cursor = Cursor.of("2026-01-02T03:04:05.000Z", 17L);

        Cursor read = Cursor.parse(cursor.encoded(), 2);

        assertThat(read).isEqualTo(cursor);
        assertThat(read.number(1)).isEqualTo(17);
        assertThat(Cursor.parse(null, 2)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"%", "a b", "YQ==", "YQ", "_w", "eA\n", "MQoyCjM"})
    void refusesWhatThisListNeverGaveOut(String text) {
        assertThat(catchThrowableOfType(ApiProblem.class, () -> Cursor.parse(text, 2))
                        .code())
                .isEqualTo("INVALID_CURSOR");
    }

    @Test
    void refusesANumberThatIsNone() {
        assertThat(catchThrowableOfType(ApiProblem.class, () -> Cursor.of("x").number(0))
                        .code())
                .isEqualTo("INVALID_CURSOR");
    }

    @Test
    void endsWithTheLastPage() {
        assertThat(Page.of(List.of(1, 2), 2, Cursor::of).next()).isNull();
        Page<Integer> first = Page.of(List.of(1, 2, 3), 2, Cursor::of);
        assertThat(first.items()).containsExactly(1, 2);
        assertThat(first.next()).isEqualTo(Cursor.of(2).encoded());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "201", "-1", "+5", "x", "", "99999999999"})
    void boundsTheLimit(String limit) {
        assertThat(catchThrowableOfType(ApiProblem.class, () -> PageLimit.parse(limit))
                        .status())
                .isEqualTo(422);
    }

    @Test
    void readsTheLimit() {
        assertThat(PageLimit.parse(null)).isEqualTo(50);
        assertThat(PageLimit.parse("200")).isEqualTo(200);
    }
}
