package dev.ringfence.wake;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NoticeTest {
    @Test
    @Tag("AD-6")
    void says_who_tells_and_what() {
        Notice notice = new Notice("node-1", EnumSet.allOf(Hint.class));
        assertThat(notice.text()).isEqualTo("node-1 RECORDED READY");
        assertThat(Notice.parse(notice.text())).isEqualTo(notice);
        assertThat(Notice.parse("node-1 READY")).isEqualTo(new Notice("node-1", Set.of(Hint.READY)));
    }

    @Test
    void a_newer_node_may_say_more() {
        assertThat(Notice.parse("node-1 READY BROKER")).isEqualTo(new Notice("node-1", Set.of(Hint.READY)));
    }

    @Test
    @Tag("RD-1")
    void says_whose_work_is_to_be_dropped() {
        Notice notice = new Notice("node-1", Set.of(), Set.of(7L, 12L));
        assertThat(notice.text()).isEqualTo("node-1 cancel=7,12");
        assertThat(Notice.parse(notice.text())).isEqualTo(notice);
        assertThat(Notice.parse("node-1 READY cancel=3"))
                .isEqualTo(new Notice("node-1", Set.of(Hint.READY), Set.of(3L)));
    }

    @Test
    void a_notice_of_the_most_tenants_fits_what_postgresql_takes() {
        Set<Long> ids = LongStream.range(0, Notice.MOST_CANCELLED)
                .mapToObj(i -> 999_999_999_999_999_999L - i)
                .collect(Collectors.toSet());
        Notice notice = new Notice("n".repeat(100), EnumSet.allOf(Hint.class), ids);
        assertThat(notice.text().length()).isLessThan(8_000);
        assertThat(Notice.parse(notice.text())).isEqualTo(notice);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "READY", "node-1", "node-1 ready", "node-1 ELSE", "node-1 cancel=", "node-1 cancel=1,x"
            })
    void what_it_does_not_understand_makes_everybody_look(String text) {
        assertThat(Notice.parse(text)).isEqualTo(new Notice("", EnumSet.allOf(Hint.class)));
    }
}
