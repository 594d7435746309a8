package dev.ringfence.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathIdsTest {

    @Test
    void a_number_is_read_up_to_eighteen_digits() {
        assertThat(PathIds.number("1")).isEqualTo(1);
        assertThat(PathIds.number("999999999999999999")).isEqualTo(999_999_999_999_999_999L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "01", "-1", "+1", "1 ", "x", "1e3", "1000000000000000000", "\u0661"})
    void what_is_no_number_names_nothing(String text) {
        assertThatThrownBy(() -> PathIds.number(text))
                .isInstanceOfSatisfying(
                        ApiProblem.class,
                        problem -> assertThat(problem.status()).isEqualTo(404));
    }
}
