package dev.ringfence.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.json.BadJson;
import dev.ringfence.json.JsonSchemas;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("RC-8")
class RecordingRequestsTest {
    private static final String EPOCH = "7f1a0c2e-54b1-4f0e-9d8a-2c3b4a5d6e7f";
    private static final String EVENT = """
            {"name":"shop.order.placed.v1","aggregateType":"order","aggregateId":"o1",
             "occurredAt":"2026-06-03T10:00:00+02:00","actor":{"type":"user","id":"u"},"payload":{"a":1e3}}""";

    private final RecordingRequests requests = new RecordingRequests(new JsonSchemas());

    private static String body(String events) {
        return "{\"epoch\":\"" + EPOCH + "\",\"events\":[" + events + "]}";
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private String errors(String body) {
        return errors(body, "events");
    }

    private String errors(String body, String schema) {
        ApiProblem problem = catchThrowableOfType(ApiProblem.class, () -> requests.read(utf8(body), schema));
        assertThat(problem).as("the request is accepted").isNotNull();
        assertThat(problem.status()).isEqualTo(422);
        return problem.errors().stream()
                .map(error -> error.pointer() + " " + error.code())
                .sorted()
                .collect(Collectors.joining(", "));
    }

    @Test
    void reads_an_event_with_its_instant_in_utc_and_its_payload_as_written() {
        SubmittedEvent event =
                requests.read(utf8(body(EVENT)), "events").events().get(0);
        assertThat(event.occurredAt()).isEqualTo(Instant.parse("2026-06-03T08:00:00Z"));
        assertThat(event.payload().text()).isEqualTo("{\"a\":1e3}");
        assertThat(event.metadata().text()).isEqualTo("{}");
        assertThat(event.name().producer()).isEqualTo("shop");
    }

    @Test
    void the_same_moment_in_another_offset_is_the_same_content() {
        String utc = EVENT.replace("10:00:00+02:00", "08:00:00.000000000Z");
        assertThat(requests.read(utf8(body(utc)), "events").events().get(0).contentSha256())
                .isEqualTo(requests.read(utf8(body(EVENT)), "events")
                        .events()
                        .get(0)
                        .contentSha256());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "shop.order.placed.v1 | Shop.order.placed.v1 | /events/0/name BAD_EVENT_NAME",
                "2026-06-03T10:00:00+02:00 | 2026-06-03T10:00:00 | /events/0/occurredAt BAD_FORMAT",
                "2026-06-03T10:00:00+02:00 | 2026-02-30T10:00:00Z | /events/0/occurredAt BAD_FORMAT",
                "2026-06-03T10:00:00+02:00 | 0001-01-01T00:00:00+02:00 | /events/0/occurredAt BAD_FORMAT",
                "2026-06-03T10:00:00+02:00 | 9999-12-31T23:59:59-02:00 | /events/0/occurredAt BAD_FORMAT",
                "`{\"a\":1e3}` | [1] | /events/0/payload WRONG_TYPE",
                "\"aggregateId\":\"o1\", | `` | /events/0/aggregateId REQUIRED",
                "\"user\" | \"robot\" | /events/0/actor/type NOT_ALLOWED",
                "\"payload\" | \"color\":1,\"payload\" | /events/0/color UNKNOWN_FIELD",
                "\"payload\" | \"milestone\":true,\"payload\" | /events/0/context REQUIRED",
                "\"payload\" | \"context\":{\"configurationRevision\":1,\"publishedThemeId\":null,\"enableGeneration\":0},\"payload\" | /events/0/context NOT_ALLOWED",
                "\"payload\" | \"occurrenceKey\":\"\",\"payload\" | /events/0/occurrenceKey TOO_SHORT"
            })
    void names_the_place_and_the_fault(String good, String bad, String expected) {
        assertThat(EVENT).contains(good);
        assertThat(errors(body(EVENT.replace(good, bad)))).isEqualTo(expected);
    }

    @Test
    void reports_every_error_of_every_event() {
        String bad = EVENT.replace("placed.v1", "placed").replace("\"aggregateId\":\"o1\",", "");
        String worse = EVENT.replace("\"user\"", "\"robot\"").replace("2026-06-03T10:00:00+02:00", "yesterday");
        assertThat(errors(body(EVENT + "," + bad + "," + worse)))
                .isEqualTo("/events/1/aggregateId REQUIRED, /events/1/name BAD_EVENT_NAME,"
                        + " /events/2/actor/type NOT_ALLOWED, /events/2/occurredAt BAD_FORMAT");
    }

    @Test
    void takes_one_to_fifty_events() {
        String fifty = IntStream.range(0, 50).mapToObj(i -> EVENT).collect(Collectors.joining(","));
        assertThat(requests.read(utf8(body(fifty)), "events").events()).hasSize(50);
        assertThat(errors(body(fifty + "," + EVENT))).isEqualTo("/events TOO_MANY");
        assertThat(errors(body(""))).isEqualTo("/events TOO_FEW");
    }

    @Test
    void refuses_what_postgresql_cannot_hold_with_the_pointer() {
        for (String value : new String[] {"\"a\\u0000b\"", "\"\\ud800\"", "1e200000", "1e-20000"}) {
            String body = body(EVENT + "," + EVENT.replace("1e3", value));
            BadJson bad = catchThrowableOfType(BadJson.class, () -> requests.read(utf8(body), "events"));
            assertThat(bad.kind()).isEqualTo(BadJson.Kind.UNSUPPORTED_VALUE);
            assertThat(bad.pointer()).isEqualTo("/events/1/payload/a");
        }
    }

    @Test
    @Tag("RC-6")
    void an_operation_needs_its_aggregate_and_state() {
        String operation = "{\"clientOperationId\":\"op\",\"epoch\":\"" + EPOCH
                + "\",\"aggregate\":{\"type\":\"order\",\"id\":\"o\",\"expectedVersion\":0},\"state\":{\"s\":1},\"events\":["
                + EVENT + "]}";
        assertThat(requests.read(utf8(operation), "operation").events()).hasSize(1);
        assertThat(errors(operation.replace(":0}", ":-1}"), "operation"))
                .isEqualTo("/aggregate/expectedVersion OUT_OF_RANGE");
        assertThat(errors(operation.replace("{\"s\":1}", "7"), "operation")).isEqualTo("/state WRONG_TYPE");
        assertThat(errors(operation.replace("placed.v1", "placed.v0"), "operation"))
                .isEqualTo("/events/0/name BAD_EVENT_NAME");
    }
}
