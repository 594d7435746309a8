package dev.ringfence.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProblemTranslatorTest {

    private static Throwable wrapped(@Nullable String sqlState) {
        return new RuntimeException("outside", new IllegalStateException(new SQLException("secret", sqlState)));
    }

    /** An exhausted pool has no SQLSTATE. */
    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"08006", "08001", "53300", "57014", "57P01", "55P03", "40P01"})
    @Tag("SC-3")
    void aDatabaseWithoutRoomOrTimeIsUnavailableAndNoFault(@Nullable String sqlState) {
        assertThat(ProblemTranslator.translate(wrapped(sqlState))).hasValueSatisfying(problem -> {
            assertThat(problem.status()).isEqualTo(503);
            assertThat(problem.code()).isEqualTo("UNAVAILABLE");
            assertThat(problem.headers()).containsEntry("Retry-After", "1");
            assertThat(problem.detail()).doesNotContain("secret");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"42501", "23505", "22P02", "RF010"})
    void whatTheStatementItselfDidWrongIsAFault(String sqlState) {
        assertThat(ProblemTranslator.translate(wrapped(sqlState))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = "no database was involved")
    void whatNobodyExpectedIsAFault(String message) {
        assertThat(ProblemTranslator.translate(new IllegalStateException(message)))
                .isEmpty();
    }
}
