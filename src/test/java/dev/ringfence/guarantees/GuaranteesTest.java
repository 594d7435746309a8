package dev.ringfence.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Tags;
import org.junit.jupiter.api.Test;

/**
 * Holds {@code docs/guarantees.md}, {@code docs/failures.md} and the tests together: what is listed has a test, what a test claims is listed. Writes
 * {@code target/guarantees.md}, the list of tests that prove each guarantee.
 */
class GuaranteesTest {
    private static final Path PAGE = Path.of("docs", "guarantees.md");
    private static final Path REPORT = Path.of("target", "guarantees.md");
    /** A row of the page: | **LC-1** | done | text |. */
    private static final Pattern ROW =
            Pattern.compile("^\\| \\*\\*([A-Z]{2}-\\d+)\\*\\* \\| (done|partly) \\| .+ \\|$");

    private static final Path FAILURES = Path.of("docs", "failures.md");

    /** Something that is named as a test: `SomeIT#some_method`. */
    private static final Pattern NAMED = Pattern.compile("`(\\w+#\\w+)`");

    /** A row of the page of failures: what happens, what is done, and at least one test. */
    private static final Pattern FAILURE = Pattern.compile("\\| [^|]+ \\| [^|]+ \\| `\\w+#\\w+`(, `\\w+#\\w+`)* \\|");

    private static final Pattern NUMBER = Pattern.compile("[A-Z]{2}-\\d+");

    @Test
    void every_listed_guarantee_has_a_test() throws IOException {
        Map<String, String> listed = listed();
        Map<String, Set<String>> proofs = proofs();
        write(listed, proofs);
        assertThat(listed.keySet())
                .as("guarantees of docs/guarantees.md that no test proves")
                .allSatisfy(number -> assertThat(proofs).containsKey(number));
    }

    @Test
    void every_tag_names_a_listed_guarantee() throws IOException {
        assertThat(proofs().keySet())
                .as("requirement numbers on tests that docs/guarantees.md does not list")
                .isSubsetOf(listed().keySet());
    }

    @Test
    void the_page_has_no_malformed_row() throws IOException {
        List<String> rows = Files.readAllLines(PAGE, StandardCharsets.UTF_8).stream()
                .filter(line -> line.startsWith("| **"))
                .toList();
        assertThat(rows).isNotEmpty().allMatch(row -> ROW.matcher(row).matches());
        assertThat(listed()).as("a number stands once").hasSize(rows.size());
    }

    @Test
    void every_failure_is_followed_by_tests_that_exist() throws IOException {
        Set<String> known = tests().map(method -> method.getOwner().getSimpleName() + "#" + method.getName())
                .collect(Collectors.toSet());
        List<String> rows = Files.readAllLines(FAILURES, StandardCharsets.UTF_8).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| --- ") && !line.startsWith("| what "))
                .toList();
        assertThat(rows)
                .hasSizeGreaterThan(30)
                .allMatch(row -> FAILURE.matcher(row).matches());
        assertThat(rows.stream().flatMap(row -> NAMED.matcher(row).results().map(found -> found.group(1))))
                .as("tests that docs/failures.md names")
                .isSubsetOf(known);
    }

    private static Map<String, String> listed() throws IOException {
        Map<String, String> found = new LinkedHashMap<>();
        for (String line : Files.readAllLines(PAGE, StandardCharsets.UTF_8)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) found.put(row.group(1), row.group(2));
        }
        return found;
    }

    private static Map<String, Set<String>> proofs() {
        Map<String, Set<String>> proofs = new TreeMap<>();
        tests().forEach(method -> Stream.concat(numbers(method.getAnnotations()), classNumbers(method.getOwner()))
                .forEach(n -> proofs.computeIfAbsent(n, k -> new TreeSet<>())
                        .add(method.getOwner().getName().replace("dev.ringfence.", "") + "#" + method.getName())));
        return proofs;
    }

    /** Those that run. */
    private static Stream<JavaMethod> tests() {
        return new ClassFileImporter()
                .withImportOption(new ImportOption.OnlyIncludeTests()).importPackages("dev.ringfence").stream()
                        .filter(test -> !test.isAnnotatedWith(Disabled.class))
                        .flatMap(test -> test.getMethods().stream())
                        .filter(method -> isTest(method) && !method.isAnnotatedWith(Disabled.class));
    }

    /** The tags of a class and of those it is nested in. */
    private static Stream<String> classNumbers(JavaClass test) {
        Stream<String> own = numbers(test.getAnnotations());
        return test.getEnclosingClass().isPresent()
                ? Stream.concat(own, classNumbers(test.getEnclosingClass().get()))
                : own;
    }

    private static boolean isTest(JavaMethod method) {
        return method.getAnnotations().stream()
                .map(a -> a.getRawType().getName())
                .anyMatch(n -> n.startsWith("org.junit.jupiter.") && n.endsWith("Test")
                        || n.equals("org.junit.jupiter.api.RepeatedTest")
                        || n.equals("org.junit.jupiter.api.TestFactory")
                        || n.startsWith("net.jqwik.api.Property")
                        || n.equals("com.tngtech.archunit.junit.ArchTest"));
    }

    private static Stream<String> numbers(Collection<? extends JavaAnnotation<?>> annotations) {
        List<String> found = new ArrayList<>();
        for (JavaAnnotation<?> a : annotations) {
            if (a.getRawType().isEquivalentTo(Tag.class)) {
                found.add(a.as(Tag.class).value());
            } else if (a.getRawType().isEquivalentTo(Tags.class)) {
                for (Tag tag : a.as(Tags.class).value()) found.add(tag.value());
            }
        }
        return found.stream().filter(t -> NUMBER.matcher(t).matches());
    }

    private static void write(Map<String, String> listed, Map<String, Set<String>> proofs) throws IOException {
        StringBuilder page = new StringBuilder("# Which test proves which guarantee\n\nWritten by the build.\n");
        listed.forEach((number, state) -> {
            page.append("\n## ").append(number).append(" (").append(state).append(")\n\n");
            proofs.getOrDefault(number, Set.of())
                    .forEach(t -> page.append("- ").append(t).append('\n'));
        });
        Files.createDirectories(REPORT.getParent());
        Files.writeString(REPORT, page);
    }
}
