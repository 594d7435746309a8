package dev.ringfence.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringfence.harness.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The committed picture of the database, {@code src/test/resources/schema/catalog.txt}. After a new change set:
 *
 * <pre>./mvnw -q test -Dtest=CatalogIT#an_update* -Dringfence.catalog.write=true</pre>
 *
 * and read the difference before committing it.
 */
class CatalogIT {
    private static final Path SNAPSHOT = Path.of("src/test/resources/schema/catalog.txt");

    private final TestDatabase database = TestDatabase.empty();
    private final ChangeLog changeLog = new ChangeLog(database.dataSource(), Duration.ofSeconds(30));

    @AfterEach
    void drop() {
        database.close();
    }

    @Test
    void an_update_makes_exactly_the_committed_catalog() throws Exception {
        changeLog.update();

        String made = catalog();
        if (Boolean.getBoolean("ringfence.catalog.write")) {
            Files.writeString(SNAPSHOT, made);
        }
        assertCommitted(made);
        assertThat(changeLog.pending()).isEmpty();
    }

    @Test
    void update_rollback_update_makes_exactly_the_committed_catalog() throws Exception {
        changeLog.update();
        PartitionsRepository.ensure(database.dataSource(), Instant.parse("2026-12-30T12:00:00Z"), 2);

        changeLog.rollbackAll();

        assertThat(catalog().lines()).singleElement().asString().startsWith("schema ringfence");
        changeLog.update();
        assertCommitted(catalog());
    }

    /** Of functions only part of whose text a change set replaces, the rest is left: they need their former text back. */
    @ParameterizedTest
    @ValueSource(
            strings = {"ringfence:190-record-event-queue", "ringfence:190-redact-tenant", "ringfence:211-erase-by-state"
            })
    void what_is_taken_back_to_the_middle_can_be_applied_again(String changeSet) throws Exception {
        changeLog.update();

        changeLog.rollbackTo(changeSet);

        assertThat(changeLog.pending()).startsWith(changeSet);
        changeLog.update();
        assertThat(changeLog.pending()).isEmpty();
        // Columns that were dropped and made again have other numbers.
        assertThat(catalog().lines().filter(line -> line.startsWith("function ")))
                .containsExactlyElementsOf(Files.readAllLines(SNAPSHOT).stream()
                        .filter(line -> line.startsWith("function "))
                        .toList());
    }

    @Test
    void a_second_update_changes_nothing() throws Exception {
        changeLog.update();
        changeLog.update();

        assertCommitted(catalog());
    }

    @Test
    void pending_reads_only() throws Exception {
        assertThat(changeLog.pending()).contains("ringfence:030-tenant-lifecycle", "ringfence:040-outbox-events");
        assertThat(database.number("select count(*) from pg_namespace where nspname = 'ringfence'"))
                .isZero();
    }

    @Test
    @Tag("RT-3")
    void a_rollback_is_refused_while_a_tenant_is_enrolled_and_nothing_is_lost() throws Exception {
        changeLog.update();
        Rows rows = new Rows(database);
        rows.enrol(UUID.randomUUID());

        assertThatThrownBy(changeLog::rollbackAll).hasStackTraceContaining("rollback refused: tenants are enrolled");

        assertCommitted(catalog());
        assertThat(database.number("select count(*) from ringfence.tenant_lifecycle"))
                .isEqualTo(1);
        assertThat(changeLog.pending()).isEmpty();
    }

    private String catalog() throws Exception {
        try (Connection connection = database.connect()) {
            return Catalog.read(connection);
        }
    }

    /** Says which lines differ instead of printing the whole catalog twice. */
    private static void assertCommitted(String catalog) throws Exception {
        List<String> committed = Files.readAllLines(SNAPSHOT);
        List<String> made = catalog.lines().toList();
        assertThat(made.stream().filter(line -> !committed.contains(line)))
                .as("made, but not committed")
                .isEmpty();
        assertThat(committed.stream().filter(line -> !made.contains(line)))
                .as("committed, but not made")
                .isEmpty();
        assertThat(made).hasSameSizeAs(committed);
    }
}
