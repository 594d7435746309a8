package dev.ringfence.wake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.background.Background;
import dev.ringfence.config.Settings;
import dev.ringfence.fanout.Fanout;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.job.CancelledTenants;
import dev.ringfence.job.CandidateFeed;
import dev.ringfence.job.CandidateRepository;
import dev.ringfence.job.DeliverySwitch;
import dev.ringfence.time.NanoClock;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a notice of another node, heard through PostgreSQL, sets in motion here. */
class ListenerIT {
    private static final Settings SETTINGS = Settings.from(Map.of(
            "ringfence.secrets.key", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "ringfence.node", "this-node"));

    @Test
    @Tag("PL-3")
    void what_another_node_committed_wakes_those_who_wait_for_a_feed() throws Exception {
        AtomicInteger woken = new AtomicInteger();
        FeedRunner readers = new FeedRunner() {
            @Override
            public void signal() {
                woken.incrementAndGet();
            }
        };
        try (TestDatabase database = TestDatabase.migrated()) {
            NoticeRepository notices = new NoticeRepository(database::dataSource);
            Listener listener = listener(notices, readers);
            try (NoticeRepository.Ear ear = notices.listen()) {
                notices.tell(new Notice("this-node", Set.of(Hint.READY)));
                notices.tell(new Notice("other-node", Set.of(Hint.RECORDED)));
                notices.tell(new Notice("other-node", Set.of(Hint.READY)));
                AtomicInteger heard = new AtomicInteger();
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
                    ear.hear(Duration.ofMillis(100)).forEach(notice -> {
                        heard.incrementAndGet();
                        listener.pass(notice);
                    });
                    return heard.get() == 3;
                });
            }
        }
        assertThat(woken).hasValue(1);
    }

    private static Listener listener(NoticeRepository notices, FeedRunner readers) {
        DeliverySwitch delivery = new DeliverySwitch(SETTINGS);
        NanoClock nanos = new NanoClock();
        CandidateFeed feed =
                new CandidateFeed(new CandidateRepository(null), null, delivery, SETTINGS, Clock.systemUTC(), nanos);
        FanoutRunner fanout = new FanoutRunner(new Fanout() {}, delivery, new Background(), SETTINGS) {
            @Override
            public void signal() {
                // what was recorded is another test's
            }
        };
        return new Listener(
                notices, fanout, feed, readers, new CancelledTenants(null, feed, null, nanos), SETTINGS, nanos);
    }
}
