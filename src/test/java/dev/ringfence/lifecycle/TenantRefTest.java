package dev.ringfence.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringfence.api.ApiProblem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TenantRefTest {

    private static final String APP = "7b0c9e5e-3c0e-4a55-9f3b-2f8f5d0a1c11";

    @ParameterizedTest
    @ValueSource(strings = {"", "a\u0000", "line\nbreak", "\u0085", "\ud800"})
    void what_cannot_be_a_name_is_refused(String tenant) {
        assertThatThrownBy(() -> TenantRef.ofPath(APP, tenant))
                .isInstanceOfSatisfying(
                        ApiProblem.class,
                        problem -> assertThat(problem.status()).isEqualTo(422));
    }

    @Test
    void two_hundred_characters_are_counted_as_people_count_them() {
        assertThat(TenantRef.ofPath(APP, "🏪".repeat(200)).tenant()).hasSize(400);
        assertThatThrownBy(() -> TenantRef.ofPath(APP, "🏪".repeat(201))).isInstanceOf(ApiProblem.class);
    }

    @Test
    void an_app_that_is_no_id_does_not_exist() {
        assertThatThrownBy(() -> TenantRef.ofPath("1-1-1-1-1", "shop"))
                .isInstanceOfSatisfying(
                        ApiProblem.class,
                        problem -> assertThat(problem.status()).isEqualTo(404));
    }
}
