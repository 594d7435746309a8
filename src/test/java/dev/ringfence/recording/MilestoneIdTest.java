package dev.ringfence.recording;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ringfence.lifecycle.TenantRef;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The natural id against vectors that Node made (src/test/js/milestone-ids.js). */
@Tag("RC-4")
class MilestoneIdTest {
    private static final JsonNode FILE = file();

    private static JsonNode file() {
        try (InputStream in = MilestoneIdTest.class.getResourceAsStream("/vectors/milestone-ids.json")) {
            return new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<JsonNode> vectors() {
        return StreamSupport.stream(FILE.get("vectors").spliterator(), false)
                .filter(vector -> usable(vector.get("tenant").textValue()));
    }

    /** Names with control characters are no tenants; the other places take every text. */
    private static boolean usable(String tenant) {
        try {
            return new TenantRef(UUID.randomUUID(), tenant).tenant().equals(tenant);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void equals_what_node_makes(JsonNode vector) {
        assertThat(id(vector)).isEqualTo(vector.get("id").textValue());
    }

    @Test
    void most_vectors_are_usable() {
        assertThat(vectors().count()).isGreaterThanOrEqualTo(50);
    }

    @Test
    void reinstallation_configuration_theme_and_generation_make_another() {
        TenantRef tenant = new TenantRef(UUID.fromString("11111111-1111-4111-8111-111111111111"), "shop-1");
        UUID epoch = UUID.fromString("0f8fad5b-d9cb-469f-a165-70867728950e");
        MilestoneContext context = new MilestoneContext(1, "theme", 1);
        Set<String> ids = new HashSet<>();
        ids.add(MilestoneId.of(tenant, epoch, "a.b.c.v1", context, null));
        ids.add(MilestoneId.of(tenant, UUID.randomUUID(), "a.b.c.v1", context, null));
        ids.add(MilestoneId.of(tenant, epoch, "a.b.c.v1", context.withRevision(2), null));
        ids.add(MilestoneId.of(tenant, epoch, "a.b.c.v1", new MilestoneContext(1, "other", 1), null));
        ids.add(MilestoneId.of(tenant, epoch, "a.b.c.v1", new MilestoneContext(1, null, 1), null));
        ids.add(MilestoneId.of(tenant, epoch, "a.b.c.v1", new MilestoneContext(1, "theme", 2), null));
        ids.add(MilestoneId.of(tenant, epoch, "a.b.c.v1", context, "save-1"));
        assertThat(ids).hasSize(7);
        assertThat(MilestoneId.of(tenant, epoch, "a.b.c.v1", context.withRevision(9), "save-1"))
                .as("an occurrence key takes the revision's place")
                .isEqualTo(MilestoneId.of(tenant, epoch, "a.b.c.v1", context, "save-1"));
        assertThat(MilestoneId.key("a.b.c.v1", context, null))
                .isEqualTo(MilestoneId.key("a.b.c.v1", new MilestoneContext(1, "theme", 1), null))
                .isNotEqualTo(MilestoneId.key("a.b.c.v1", context, "1"));
    }

    private static String id(JsonNode vector) {
        return MilestoneId.of(
                new TenantRef(
                        UUID.fromString(FILE.get("appId").textValue()),
                        vector.get("tenant").textValue()),
                UUID.fromString(FILE.get("epoch").textValue()),
                vector.get("name").textValue(),
                new MilestoneContext(
                        vector.get("configurationRevision").longValue(),
                        vector.get("publishedThemeId").textValue(),
                        vector.get("enableGeneration").longValue()),
                vector.get("occurrenceKey").textValue());
    }
}
