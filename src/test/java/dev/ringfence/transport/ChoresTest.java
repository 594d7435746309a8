package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ChoresTest {

    @Test
    @Tag("HT-5")
    void oneThatFailsKeepsNeitherTheOthersNorItsNextTime() {
        List<String> done = new ArrayList<>();
        Chores chores = new Chores(List.of(
                () -> done.add("before"),
                () -> {
                    done.add("failing");
                    throw new IllegalStateException("no");
                },
                () -> done.add("after")));

        chores.run();
        chores.run();

        assertThat(done).containsExactly("before", "failing", "after", "before", "failing", "after");
    }
}
