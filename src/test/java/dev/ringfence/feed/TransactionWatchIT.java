package dev.ringfence.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.config.Settings;
import dev.ringfence.time.SteerableNanoClock;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The watch over the oldest open transaction. */
class TransactionWatchIT {
    private final FeedFixture feed = new FeedFixture();
    private final SteerableNanoClock nanos = new SteerableNanoClock();

    @AfterEach
    void close() {
        feed.close();
    }

    private TransactionWatch watch(String alarmAfter) {
        Settings settings = Settings.from(Map.of(
                "ringfence.secrets.key",
                "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
                "ringfence.transactions.alarm-after",
                alarmAfter));
        return new TransactionWatch(new TransactionRepository(feed.rows.transactions), settings, nanos);
    }

    @Test
    @Tag("PL-3")
    void a_session_that_keeps_a_transaction_open_is_an_alarm_until_it_ends() throws Exception {
        TransactionWatch watch = watch("PT1S");
        try (Connection open = feed.open();
                var statement = open.createStatement()) {
            int pid;
            try (var row = statement.executeQuery("select pg_backend_pid()")) {
                row.next();
                pid = row.getInt(1);
            }
            Awaitility.await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
                watch.look();
                assertThat(watch.oldest().alarm()).isTrue();
            });
            assertThat(watch.oldest().kind()).isEqualTo(OldestTransaction.Kind.SESSION);
            assertThat(watch.oldest().pid()).isEqualTo(pid);
            open.rollback();
        }

        watch.look();

        assertThat(watch.oldest().alarm()).isFalse();
    }

    @Test
    @Tag("PL-3")
    void what_holds_feeds_back_is_noticed_also_where_its_session_cannot_be_seen() throws Exception {
        TransactionWatch watch = watch("PT10M");
        try (Connection holder = feed.open()) {
            feed.put(holder);
            feed.put();
            watch.look();
            assertThat(watch.oldest().alarm()).isFalse();

            nanos.advance(Duration.ofMinutes(11));
            feed.put();
            watch.look();

            assertThat(watch.oldest().kind()).isEqualTo(OldestTransaction.Kind.UNSEEN);
            assertThat(watch.oldest().alarm()).isTrue();
            holder.rollback();
        }
        watch.look();
        assertThat(watch.oldest().alarm()).isFalse();
        nanos.advance(Duration.ofMinutes(11));
        feed.put();
        watch.look();
        assertThat(watch.oldest().alarm())
                .as("one that is gone is not the oldest for ever")
                .isFalse();
    }
}
