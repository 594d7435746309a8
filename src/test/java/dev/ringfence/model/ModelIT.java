package dev.ringfence.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.ringfence.model.ModelPage.Row;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Has Spin search the model of the protocol: it holds, each guard taken away breaks it, and things do happen in it. */
class ModelIT {

    @TempDir
    private Path directory;

    @BeforeAll
    static void tools() {
        List<String> missing = Spin.missing();
        if (!missing.isEmpty() && "true".equals(System.getenv("CI"))) {
            fail("Not installed, and CI=true: " + missing);
        }
        Assumptions.assumeTrue(
                missing.isEmpty(), "Not installed: " + missing + " (apt-get install spin gcc libc6-dev)");
    }

    static Stream<Row> inEachBuild() throws IOException {
        return holding("each build");
    }

    static Stream<Row> slow() throws IOException {
        return holding("slow");
    }

    private static Stream<Row> holding(String when) throws IOException {
        return ModelPage.read().holds().stream()
                .filter(row -> row.cells().get(3).equals(when));
    }

    @ParameterizedTest
    @MethodSource("inEachBuild")
    void the_protocol_holds(Row row) throws Exception {
        holds(row);
    }

    @ParameterizedTest
    @MethodSource("slow")
    @Tag("slow")
    void the_protocol_holds_with_more_of_everything(Row row) throws Exception {
        holds(row);
    }

    private void holds(Row row) throws Exception {
        Spin.Verdict verdict = switch (row.cells().get(2)) {
            case "safety" -> Spin.safety(directory, row.flags());
            case "progress" -> Spin.progress(directory, row.flags());
            default -> throw new IllegalArgumentException(row.cells().get(2));
        };
        assertThat(verdict.errors()).as(verdict.output()).isZero();
        assertThat(verdict.exhaustive()).as(verdict.output()).isTrue();
    }

    static Stream<Row> breaks() throws IOException {
        return ModelPage.read().breaks().stream();
    }

    @ParameterizedTest
    @MethodSource("breaks")
    void a_guard_taken_away_breaks_it(Row row) throws Exception {
        String violation = row.codes(2).get(0);
        List<String> flags = new ArrayList<>(row.flags());
        flags.add("-DONLY=N_" + violation);
        Spin.Verdict verdict = Spin.violation(directory, flags);
        assertThat(verdict.violated()).as(verdict.output()).isEqualTo(violation);
    }

    static Stream<Row> happens() throws IOException {
        return ModelPage.read().happens().stream();
    }

    @ParameterizedTest
    @MethodSource("happens")
    void a_run_exists(Row row) throws Exception {
        Spin.Verdict verdict = Spin.violation(directory, row.flags());
        assertThat(verdict.violated()).as(verdict.output()).isEqualTo("found");
    }
}
