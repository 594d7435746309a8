package dev.ringfence.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("RC-4")
class DedupeKeyTest {
    @Test
    void the_same_occurrence_has_the_same_key() {
        assertThat(DedupeKey.ofOccurrence("a")).isEqualTo(DedupeKey.ofOccurrence("a"));
        assertThat(DedupeKey.ofOperation("a", 1)).isEqualTo(DedupeKey.ofOperation("a", 1));
    }

    @Test
    void kinds_ids_and_places_do_not_run_into_each_other() {
        Set<DedupeKey> keys = new HashSet<>(List.of(
                DedupeKey.ofOccurrence("a"),
                DedupeKey.ofOccurrence("a1"),
                DedupeKey.ofOperation("a", 0),
                DedupeKey.ofOperation("a", 1),
                DedupeKey.ofOperation("a1", 0)));
        assertThat(keys).hasSize(5);
    }
}
