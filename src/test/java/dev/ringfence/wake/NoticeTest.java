package dev.ringfence.wake;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
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

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "READY", "node-1", "node-1 ready", "node-1 ELSE"})
    void what_it_does_not_understand_makes_everybody_look(String text) {
        assertThat(Notice.parse(text)).isEqualTo(new Notice("", EnumSet.allOf(Hint.class)));
    }
}
