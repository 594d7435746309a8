package dev.ringfence.recording;

import static dev.ringfence.recording.RecordingFixture.EPOCH;
import static dev.ringfence.recording.RecordingFixture.SHOP;
import static dev.ringfence.recording.RecordingFixture.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Milestones among recorded events, on PostgreSQL. */
@Timeout(120)
class MilestoneIT {
    private static final String EVENTS = "select count(*) from ringfence.outbox_events";
    private static final String CONTEXT = "update ringfence.tenant_lifecycle set ";

    private final RecordingFixture shop = new RecordingFixture();

    @AfterEach
    void drop() {
        shop.close();
    }

    private static String milestone(long revision, @Nullable String theme, long generation, String more) {
        String themeJson = theme == null ? "null" : '"' + theme + '"';
        return event(
                "o1",
                "{}",
                "\"milestone\":true,\"context\":{\"configurationRevision\":" + revision + ",\"publishedThemeId\":"
                        + themeJson + ",\"enableGeneration\":" + generation + "}," + more);
    }

    private static ApiProblem refused(Callable<?> work) {
        ApiProblem problem = catchThrowableOfType(ApiProblem.class, work::call);
        assertThat(problem).as("the request is accepted").isNotNull();
        return problem;
    }

    private void staleAt(String pointer, String... events) {
        ApiProblem problem = refused(() -> shop.record(events));
        assertThat(problem.status()).isEqualTo(409);
        assertThat(problem.code()).isEqualTo("STALE_CONTEXT");
        assertThat(problem.errors()).extracting("pointer").containsExactly(pointer);
    }

    @Test
    @Tag("RC-4")
    void has_its_natural_id_and_is_recorded_once() {
        JsonNode first = shop.record(milestone(0, null, 0, ""));
        JsonNode again = shop.record(milestone(0, null, 0, ""));

        assertThat(first.at("/results/0/eventId").textValue())
                .isEqualTo(MilestoneId.of(SHOP, EPOCH, "shop.order.placed.v1", new MilestoneContext(0, null, 0), null))
                .hasSize(64);
        assertThat(again.at("/results/0/deduplicated").booleanValue()).isTrue();
        assertThat(again.at("/results/0/eventId")).isEqualTo(first.at("/results/0/eventId"));
        assertThat(shop.database.number(EVENTS + " where milestone")).isEqualTo(1);
    }

    @Test
    @Tag("RC-4")
    void the_first_one_recorded_wins() {
        shop.record(milestone(0, null, 0, ""));
        JsonNode other = shop.record(milestone(0, null, 0, "").replace("\"o1\"", "\"o2\""));
        assertThat(other.at("/results/0/deduplicated").booleanValue()).isTrue();
        assertThat(shop.database.number(EVENTS + " where aggregate_id = 'o1'")).isEqualTo(1);
        assertThat(shop.database.number(EVENTS)).isEqualTo(1);
    }

    @Test
    @Tag("RC-3")
    @Tag("LC-9")
    void a_context_that_the_tenant_has_left_is_refused_and_nothing_is_recorded() {
        shop.database.execute(
                CONTEXT + "configuration_revision = 3, published_theme_id = 'night', enable_generation = 2");
        staleAt("/events/1/context", event("o9", "{}", ""), milestone(2, "night", 2, ""));
        staleAt("/events/0/context", milestone(3, "day", 2, ""));
        staleAt("/events/0/context", milestone(3, null, 2, ""));
        staleAt("/events/0/context", milestone(3, "night", 1, ""));
        assertThat(shop.database.number(EVENTS)).isZero();
        shop.record(milestone(3, "night", 2, ""));
        assertThat(shop.database.number(EVENTS)).isEqualTo(1);
    }

    @Test
    @Tag("LC-9")
    void while_tracking_is_off_no_milestone_is_recorded() {
        shop.database.execute(CONTEXT + "enabled = false");
        staleAt("/events/0/context", milestone(0, null, 0, ""));
        shop.record(event("o1", "{}", ""));
        assertThat(shop.database.number(EVENTS)).isEqualTo(1);
    }

    @Test
    @Tag("RC-4")
    void a_repetition_is_answered_however_old_its_context() {
        JsonNode first = shop.record(milestone(0, null, 0, ""));
        shop.database.execute(CONTEXT + "configuration_revision = 9");
        JsonNode again = shop.record(milestone(0, null, 0, ""));
        assertThat(again.at("/results/0/deduplicated").booleanValue()).isTrue();
        assertThat(again.at("/results/0/eventId")).isEqualTo(first.at("/results/0/eventId"));
    }

    @Test
    @Tag("RC-4")
    void an_occurrence_key_takes_the_revisions_place() {
        JsonNode one = shop.record(milestone(0, null, 0, "\"occurrenceKey\":\"save-1\","));
        JsonNode other = shop.record(milestone(0, null, 0, "\"occurrenceKey\":\"save-2\","));
        assertThat(one.at("/results/0/eventId")).isNotEqualTo(other.at("/results/0/eventId"));
        shop.database.execute(CONTEXT + "configuration_revision = 1");
        JsonNode again = shop.record(milestone(1, null, 0, "\"occurrenceKey\":\"save-1\","));
        assertThat(again.at("/results/0/eventId")).isEqualTo(one.at("/results/0/eventId"));
    }

    @Test
    @Tag("RC-11")
    void a_dry_run_checks_the_context_too() {
        assertThat(refused(() -> shop.check(milestone(5, null, 0, ""))).code()).isEqualTo("STALE_CONTEXT");
        shop.check(milestone(0, null, 0, ""));
        assertThat(shop.database.number(EVENTS)).isZero();
    }

    @Test
    @Tag("RC-1")
    void an_operation_has_no_milestones() {
        ApiProblem problem = refused(() -> shop.operate("op-1", "o1", 0, "{}", milestone(0, null, 0, "")));
        assertThat(problem.status()).isEqualTo(422);
        assertThat(problem.errors()).extracting("pointer").containsExactly("/events/0/milestone");
    }
}
