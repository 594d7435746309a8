package dev.ringfence.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypesAndGrantsTest {

    @ParameterizedTest
    @Tag("SB-2")
    @CsvSource({
        "*,                     order.order.placed.v1, true",
        "order.*,               order.order.placed.v1, true",
        "order.order.*,         order.order.placed.v1, true",
        "order.order.placed.*,  order.order.placed.v1, true",
        "order.order.placed.v1, order.order.placed.v1, true",
        "order.order.placed.v1, order.order.placed.v10, false",
        "order.*,               orders.order.placed.v1, false",
        "order.order,           order.order.placed.v1, false",
        "order.order.placed.v1.*, order.order.placed.v1, false",
        "invoice.*,             order.order.placed.v1, false",
    })
    void aPatternTakesATypeOrNot(String pattern, String type, boolean takes) {
        assertThat(TypePattern.isValid(pattern)).isTrue();
        assertThat(new EventTypeFilter(List.of("x.y.z.v1", pattern)).accepts(type))
                .isEqualTo(takes);
        assertThat(new Grants(List.of(pattern)).allow(type)).isEqualTo(takes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*.order",
                "order*",
                "order.**",
                ".order",
                "order..placed",
                "Order.*",
                "order.*.v1",
                "order. *"
            })
    void whatIsNoPatternIsRefused(String text) {
        assertThat(TypePattern.isValid(text)).isFalse();
    }

    @Test
    @Tag("SB-2")
    @Tag("SB-5")
    void anEmptyTypeListTakesAllAndAnEmptyGrantNothing() {
        assertThat(new EventTypeFilter(List.of()).accepts("order.order.placed.v1"))
                .isTrue();
        assertThat(new Grants(List.of()).allow("order.order.placed.v1")).isFalse();
    }

    @Test
    @Tag("SB-5")
    void creatingAcceptsWhatIsAskedFor() {
        assertThat(Grants.impliedBy(new EventTypeFilter(List.of())).families()).containsExactly("*");
        assertThat(Grants.impliedBy(new EventTypeFilter(List.of("order.*"))).families())
                .containsExactly("order.*");
    }
}
