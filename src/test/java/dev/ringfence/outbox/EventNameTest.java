package dev.ringfence.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("EV-2")
class EventNameTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "client.invitation.consumed.v1",
                "daily_execution.workout_log.completed.v12",
                "a.b.c.v999999999",
                "x1.y_2.z_3a.v1"
            })
    void accepts_context_aggregate_fact_version(String text) {
        assertThat(EventName.parse(text))
                .isInstanceOfSatisfying(
                        EventName.Parsed.Valid.class,
                        valid -> assertThat(valid.name()).hasToString(text));
    }

    @ParameterizedTest
    @CsvSource({
        "'', four parts",
        "order, four parts",
        "shop.order.placed, four parts",
        "shop.order.placed.v1.x, four parts",
        "shop.order..v1, Part 3",
        "Shop.order.placed.v1, Part 1",
        "shop.orderItem.placed.v1, Part 2",
        "shop.order-item.placed.v1, Part 2",
        "shop.order.placed_.v1, Part 3",
        "shop.order._placed.v1, Part 3",
        "shop.order.pla__ced.v1, Part 3",
        "1shop.order.placed.v1, Part 1",
        "shöp.order.placed.v1, Part 1",
        "shop.order.placed.1, version",
        "shop.order.placed.v0, version",
        "shop.order.placed.v01, version",
        "shop.order.placed.V1, version",
        "shop.order.placed.v, version",
        "shop.order.placed.v-1, version",
        "shop.order.placed.v1234567890, version",
        "'shop.order.placed.v1 ', version"
    })
    void refuses_anything_else_with_the_reason(String text, String reason) {
        assertThat(EventName.parse(text))
                .isInstanceOfSatisfying(
                        EventName.Parsed.Refused.class,
                        refused -> assertThat(refused.reason()).contains(reason));
    }

    @Test
    void refuses_a_name_that_is_too_long() {
        String name = "a.b.c.v1" + "1".repeat(EventName.MAX_LENGTH);
        assertThat(EventName.parse(name)).isInstanceOf(EventName.Parsed.Refused.class);
    }

    @Test
    void the_producer_is_the_context_and_the_version_is_the_number() {
        var valid = (EventName.Parsed.Valid) EventName.parse("daily_execution.workout_log.completed.v3");
        assertThat(valid.name().producer()).isEqualTo("daily_execution");
        assertThat(valid.name().version()).isEqualTo(3);
    }
}
