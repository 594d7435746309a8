package dev.ringfence.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Three processes record, deliver and redact the same tenants at random while they are killed, stopped and lose their sessions: for 70
 * seconds with a kill or two in each build, with one process more for ten minutes with twelve kills in the profile {@code slow}.
 * {@code -Dringfence.race.seed} throws the dice of an earlier run again (not its interleaving); both books are
 * kept in {@code target/redaction-race-<seed>.txt}.
 */
class RedactionRaceIT {
    @Test
    @Tag("RD-1")
    @Tag("RD-5")
    @Tag("FN-4")
    @Tag("FN-6")
    @Tag("LC-1")
    @Tag("RC-3")
    @Tag("AT-1")
    @Tag("AT-8")
    void a_minute_of_redactions_under_fire_breaks_no_promise() throws Exception {
        race(Duration.ofSeconds(70), 2, 2);
    }

    @Test
    @Tag("slow")
    @Tag("RD-5")
    void ten_minutes_of_redactions_under_fire_break_no_promise() throws Exception {
        race(Duration.ofMinutes(10), 3, 12);
    }

    private static void race(Duration length, int servers, int kills) throws Exception {
        long seed = Long.getLong("ringfence.race.seed", new Random().nextLong());
        try (RedactionRace race = new RedactionRace(seed, servers, 8)) {
            race.run(length, kills);
            assertThat(race.check()).as("seed %d", seed).isEmpty();
            assertThat(race.counted("kill -9")).as("kills").isPositive();
            assertThat(race.counted("stood still")).as("stops").isPositive();
            assertThat(race.counted("fence sessions ended"))
                    .as("fence sessions ended")
                    .isPositive();
            assertThat(race.counted("redactions")).as("redactions").isGreaterThan(5);
            assertThat(race.counted("unresolved markers")).as("markers").isPositive();
            assertThat(race.counted("requests")).as("requests").isGreaterThan(200);
        }
    }
}
