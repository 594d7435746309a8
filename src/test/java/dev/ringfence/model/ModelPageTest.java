package dev.ringfence.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the page about the model to the code and to the model. */
class ModelPageTest {
    private static final String SCHEMA = "ringfence.";

    @Test
    void the_code_that_a_step_names_exists() throws IOException {
        Map<String, String> sources = sources();
        String changes = changes();
        for (ModelPage.Row step : ModelPage.read().steps()) {
            assertThat(step.codes(1)).as(step.toString()).isNotEmpty();
            for (String code : step.codes(1)) {
                if (code.startsWith(SCHEMA)) {
                    assertThat(changes).contains("create function " + code + "(");
                } else {
                    String[] parts = code.split("\\.");
                    assertThat(sources).as(code).containsKey(parts[0]);
                    assertThat(parts.length == 1 || declares(sources.get(parts[0]), parts[1]))
                            .as(code)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void the_tables_that_a_step_names_exist() throws IOException {
        String changes = changes();
        for (ModelPage.Row step : ModelPage.read().steps()) {
            if (step.cells().size() > 2) {
                assertThat(step.codes(2))
                        .allSatisfy(table -> assertThat(changes).contains("create table " + table + " ("));
            }
        }
    }

    @Test
    void each_assertion_has_a_variant_that_breaks_it() throws IOException {
        Set<String> broken = ModelPage.read().breaks().stream()
                .map(row -> row.codes(2).get(0))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(broken).isEqualTo(found("#define N_(\\w+)"));
    }

    @Test
    void each_run_that_must_exist_is_looked_for() throws IOException {
        Set<String> sought = ModelPage.read().happens().stream()
                .flatMap(row -> row.flags().stream())
                .filter(flag -> flag.startsWith("-DFIND=F_"))
                .map(flag -> flag.substring("-DFIND=F_".length()))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(sought).isEqualTo(found("#define F_(\\w+)"));
    }

    @Test
    void each_variant_of_the_model_is_run_and_each_flag_means_something() throws IOException {
        Set<String> variants = found("(?:#ifn?def |defined\\()(\\w+)");
        variants.removeAll(Set.of("ONLY", "FIND", "MOST", "READ"));
        Set<String> flags = ModelPage.read()
                .runs()
                .flatMap(row -> row.flags().stream())
                .map(flag -> flag.substring(2).split("=")[0])
                .filter(flag -> !flag.equals("FIND"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(flags).isEqualTo(variants);
    }

    private static boolean declares(String source, String member) {
        return Pattern.compile("\\b(?:" + member + "\\([^;{]*\\{|String " + member + " =)", Pattern.DOTALL)
                .matcher(source)
                .find();
    }

    private static Set<String> found(String pattern) throws IOException {
        return Pattern.compile(pattern)
                .matcher(Files.readString(ModelPage.MODEL))
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The product's sources by simple name. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        for (Path file : files(Path.of("src", "main", "java"), ".java")) {
            sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
        }
        return sources;
    }

    private static String changes() throws IOException {
        StringBuilder changes = new StringBuilder();
        for (Path file : files(Path.of("liquibase", "changes"), ".sql")) {
            changes.append(Files.readString(file));
        }
        return changes.toString();
    }

    private static List<Path> files(Path root, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(ending)).toList();
        }
    }
}
