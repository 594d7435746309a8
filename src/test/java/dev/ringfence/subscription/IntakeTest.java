package dev.ringfence.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class IntakeTest {

    private static List<Long> taken(Intake intake, long most) {
        return LongStream.rangeClosed(1, most).filter(intake::takes).boxed().toList();
    }

    @Test
    @Tag("SB-3")
    void what_was_recorded_before_a_pause_is_taken_and_what_was_recorded_in_it_never() {
        Intake intake = Intake.from(2);
        assertThat(taken(intake, 5)).containsExactly(3L, 4L, 5L);

        Intake paused = intake.closedAt(5);
        assertThat(taken(paused, 9)).containsExactly(3L, 4L);
        assertThat(paused.closedAt(7)).isEqualTo(paused);

        Intake resumed = paused.openedAt(8);
        assertThat(taken(resumed, 10)).containsExactly(3L, 4L, 8L, 9L, 10L);
        assertThat(resumed.openedAt(9)).isEqualTo(resumed);

        assertThat(taken(resumed.closedAt(10), 12)).containsExactly(3L, 4L, 8L, 9L);
    }

    @Test
    @Tag("SB-3")
    void the_oldest_pauses_are_forgotten_in_pairs() {
        Intake intake = Intake.from(0);
        for (int i = 0; i < Intake.MOST_PAUSES + 1; i++) {
            intake = intake.closedAt(10L * i + 5).openedAt(10L * i + 9);
        }
        assertThat(intake.closings()).hasSize(2 * Intake.MOST_PAUSES);
        assertThat(intake.takes(6)).isTrue();
        assertThat(intake.takes(16)).isFalse();
        assertThat(intake.takes(19)).isTrue();
    }
}
