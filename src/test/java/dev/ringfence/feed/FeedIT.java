package dev.ringfence.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.ringfence.api.ApiProblem;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A feed and its cursor on a real database: that nothing is skipped, nothing comes twice, and what is refused. */
class FeedIT {
    private final FeedFixture feed = new FeedFixture();

    @AfterEach
    void close() {
        feed.close();
    }

    private String state(long delivery) {
        return feed.rows.delivery(delivery, "state");
    }

    private static String code(ThrowingCallable call) {
        return catchThrowableOfType(ApiProblem.class, call).code();
    }

    @Test
    @Tag("PL-1")
    @Tag("PL-2")
    void a_transaction_held_open_in_the_middle_finds_every_event_exactly_once() throws Exception {
        long before = feed.put();
        try (Connection first = feed.open();
                Connection second = feed.open()) {
            long early = feed.put(first);
            long late = feed.put(second);
            second.commit();

            assertThat(feed.fetch())
                    .as("what comes after an open transaction waits for it")
                    .containsExactly(before);
            assertThat(feed.fetch()).isEmpty();
            assertThat(state(late)).isEqualTo("pending");

            first.commit();

            assertThat(feed.fetch()).containsExactly(early, late);
            assertThat(feed.fetch()).isEmpty();
            assertThat(List.of(state(before), state(early), state(late))).containsOnly("delivered");
        }
    }

    @Test
    @Tag("PL-2")
    void an_id_that_was_taken_before_and_commits_after_is_not_skipped() throws Exception {
        long taken = feed.rows.database.number("select nextval('ordinals')");
        long other = feed.put();
        assertThat(feed.fetch()).containsExactly(other);
        try (Connection slow = feed.open()) {
            feed.put(slow, feed.subscription, taken);
            slow.commit();
        }

        assertThat(taken).isLessThan(other);
        assertThat(feed.fetch()).containsExactly(taken);
    }

    @Test
    @Tag("PL-2")
    void what_is_rolled_back_leaves_a_hole_that_stops_nobody() throws Exception {
        try (Connection undone = feed.open()) {
            feed.put(undone);
            long kept = feed.put();
            assertThat(feed.fetch()).isEmpty();
            undone.rollback();

            assertThat(feed.fetch()).containsExactly(kept);
            long next = feed.put();
            assertThat(feed.fetch()).containsExactly(next);
        }
    }

    @Test
    @Tag("PL-2")
    void what_an_operator_puts_back_gets_a_new_place_however_late_it_commits() throws Exception {
        long again = feed.put();
        assertThat(feed.fetch()).containsExactly(again);
        try (Connection operator = feed.open()) {
            FeedFixture.retry(operator, again);
            long other = feed.put();
            assertThat(feed.fetch()).isEmpty();
            operator.commit();

            FeedPage page = feed.read(null, 200);
            assertThat(FeedFixture.ids(page)).containsExactly(again, other);
            assertThat(page.items().get(0).cycle()).isEqualTo(2);
            feed.advance(page.committed(), page.cursor());
            assertThat(feed.fetch()).isEmpty();
        }
        assertThat(feed.rows.delivery(again, "next_attempt_at is null and accepted_at is not null"))
                .isEqualTo("true");
    }

    @Test
    @Tag("PL-1")
    void an_item_has_the_exact_bytes_and_its_own_place() throws Exception {
        long first = feed.put();
        long second = feed.put();
        FeedPage page = feed.read(null, 200);
        FeedItem item = page.items().get(0);

        byte[] sent = item.envelope().getBytes(StandardCharsets.UTF_8);
        assertThat(item.envelope()).isEqualTo("{\"n\": " + item.ordinal() + "}");
        assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(sent)))
                .isEqualTo(item.sha256());

        assertThat(feed.advance(page.committed(), item.cursor())).isEqualTo(new Advance.Moved(item.cursor(), 1));
        assertThat(List.of(state(first), state(second))).containsExactly("delivered", "pending");
        assertThat(feed.fetch()).containsExactly(second);
        assertThat(feed.rows.delivery(
                        second, "attempts || ' ' || (accepted_at is not null) || ' ' || (finished_at is not null)"))
                .isEqualTo("0 true true");
    }

    @Test
    @Tag("PL-3")
    void pages_are_bounded_in_number_and_in_bytes_and_go_on_where_they_ended() throws Exception {
        List<Long> all = new ArrayList<>();
        try (Connection one = feed.open()) {
            for (int i = 0; i < 7; i++) {
                all.add(feed.put(one));
            }
            one.commit();
        }
        List<Long> read = new ArrayList<>();
        FeedPage page = feed.read(null, 3);
        while (!page.items().isEmpty()) {
            assertThat(page.items()).hasSizeLessThanOrEqualTo(3);
            read.addAll(FeedFixture.ids(page));
            page = feed.read(page.cursor(), 3);
        }
        assertThat(read).isEqualTo(all);
        assertThat(feed.read(null, 3).items()).as("reading on commits nothing").hasSize(3);

        assertThat(feed.repository.page(feed.subscription, FeedPosition.START, 200, 16))
                .as("a third envelope of eight bytes would not begin below sixteen")
                .hasSize(2);
        assertThat(feed.repository.page(feed.subscription, FeedPosition.START, 200, 1))
                .as("the first always comes")
                .hasSize(1);
    }

    @Test
    @Tag("PL-1")
    void of_two_who_move_the_same_cursor_one_is_told_where_it_is() throws Exception {
        feed.put();
        FeedPage page = feed.read(null, 200);
        assertThat(feed.advance(page.committed(), page.cursor())).isInstanceOf(Advance.Moved.class);

        Advance second = feed.advance(page.committed(), page.cursor());

        assertThat(second)
                .isInstanceOfSatisfying(
                        Advance.Beaten.class,
                        beaten -> assertThat(beaten.stored().encoded()).isEqualTo(page.cursor()));
        assertThat(feed.advance(page.cursor(), page.cursor())).isEqualTo(new Advance.Moved(page.cursor(), 0));
    }

    @Test
    @Tag("PL-1")
    @Tag("PL-2")
    void cursors_that_no_feed_gave_out_or_another_one_are_refused() throws Exception {
        feed.put();
        FeedPage page = feed.read(null, 200);
        FeedCursor known = FeedCursor.parse(page.cursor());
        for (String garbage :
                List.of("", "x", "Zm9v", page.cursor() + "A", page.cursor().substring(1), other(known, "f2"))) {
            assertThat(code(() -> feed.read(garbage.isEmpty() ? "=" : garbage, 1)))
                    .as(garbage)
                    .isEqualTo("INVALID_CURSOR");
        }
        UUID second = feed.subscription(feed.tenant);
        assertThat(code(() -> feed.read(second, page.cursor(), 1))).isEqualTo("INVALID_CURSOR");

        assertThat(code(() -> feed.advance(page.cursor(), page.committed()))).isEqualTo("INVALID");
        String future = known.at(new FeedPosition(known.position().transaction() + 1_000_000, 1))
                .encoded();
        assertThat(code(() -> feed.advance(page.committed(), future)))
                .as("beyond what can have been read")
                .isEqualTo("INVALID_CURSOR");
        assertThat(code(() -> feed.read(future, 1))).isEqualTo("CURSOR_STALE");
        assertThat(feed.fetch()).hasSize(1);
    }

    private static String other(FeedCursor cursor, String version) {
        String text = new String(Base64.getUrlDecoder().decode(cursor.encoded()), StandardCharsets.UTF_8);
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString((version + text.substring(2)).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    @Tag("PL-2")
    void after_a_restore_every_cursor_is_stale_and_what_waits_is_read_again() throws Exception {
        long fetched = feed.put();
        FeedPage before = feed.read(null, 200);
        feed.advance(before.committed(), before.cursor());
        long waiting = feed.put();
        // As in a dump that was read into a cluster which has counted fewer transactions.
        feed.rows.database.execute(
                "update deliveries_live set feed_xid = (pg_current_xact_id()::text::bigint + 1000000)::text::xid8");
        assertThat(code(() -> feed.read(null, 1))).isEqualTo("FEEDS_NOT_ROTATED");

        assertThat(feed.rows.database.number("select rotate_feeds()")).isEqualTo(1);

        assertThat(code(() -> feed.read(before.cursor(), 1))).isEqualTo("CURSOR_STALE");
        assertThat(code(() -> feed.advance(before.cursor(), before.cursor()))).isEqualTo("CURSOR_STALE");
        assertThat(feed.fetch()).containsExactly(waiting).doesNotContain(fetched);
    }

    @Test
    @Tag("PL-1")
    void what_is_no_longer_granted_is_neither_shown_nor_delivered() throws Exception {
        long waiting = feed.put();
        feed.rows.update("update subscriptions set grants = '{invoice.*}' where id = ?", feed.subscription);

        FeedPage page = feed.read(null, 200);

        assertThat(page.items()).isEmpty();
        assertThat(page.cursor()).as("the reader goes on behind it").isNotEqualTo(page.committed());
        assertThat(feed.rows.delivery(waiting, "state || ' ' || last_code")).isEqualTo("failed ACCESS_ABSENT");
        assertThat(feed.advance(page.committed(), page.cursor())).isEqualTo(new Advance.Moved(page.cursor(), 0));
        assertThat(feed.rows.delivery(waiting, "state || ' ' || last_code")).isEqualTo("failed ACCESS_ABSENT");
    }

    @Test
    @Tag("PL-1")
    @Tag("SB-5")
    void what_was_granted_again_after_it_was_not_shown_does_not_count_as_fetched() throws Exception {
        long hidden = feed.put();
        feed.rows.update("update subscriptions set grants = '{invoice.*}' where id = ?", feed.subscription);
        FeedPage page = feed.read(null, 200);
        assertThat(page.items()).isEmpty();
        feed.rows.update("update subscriptions set grants = '{*}' where id = ?", feed.subscription);
        long shown = feed.put();
        FeedPage next = feed.read(page.cursor(), 200);
        assertThat(FeedFixture.ids(next)).containsExactly(shown);

        assertThat(feed.advance(page.committed(), next.cursor())).isEqualTo(new Advance.Moved(next.cursor(), 1));
        assertThat(feed.rows.delivery(hidden, "state || ' ' || last_code")).isEqualTo("failed ACCESS_ABSENT");
    }

    @Test
    @Tag("RD-5")
    @Tag("FN-1")
    void a_page_is_read_under_the_fence_of_its_tenant() throws Exception {
        feed.put();
        long key = feed.rows.database.number("select fence_key from tenant_lifecycle where tenant_id = " + feed.tenant);
        String lock = "select case when pg_try_advisory_xact_lock(" + key + ") then 1 else 0 end";
        long free = feed.rows.transactions.inNew(() -> {
            assertThat(feed.feeds.read(feed.query(null, 200)).page().items()).hasSize(1);
            return feed.rows.database.number(lock);
        });
        assertThat(free).as("while the page is read").isZero();
        assertThat(feed.rows.database.number(lock)).as("afterwards").isEqualTo(1);
    }

    @Test
    @Tag("RD-5")
    void who_reads_while_a_tenant_is_fenced_waits_for_it_and_is_shown_nothing() throws Exception {
        feed.put();
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Connection redaction = feed.open();
                var statement = redaction.createStatement()) {
            statement.execute(
                    "select pg_advisory_xact_lock(fence_key) from tenant_lifecycle where tenant_id = " + feed.tenant);
            assertThat(code(() -> feed.readWaited(200)))
                    .as("a request that has waited goes on waiting")
                    .isEqualTo("FENCE_TIMEOUT");
            Future<String> reader = threads.submit(() -> code(() -> feed.read(null, 200)));
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> feed.rows.database.number(
                                    "select count(*) from pg_locks where locktype = 'advisory' and not granted and database ="
                                            + " (select oid from pg_database where datname = current_database())")
                            == 1);
            statement.execute(
                    "update tenant_lifecycle set phase = 'REDACTED', epoch = gen_random_uuid() where tenant_id = "
                            + feed.tenant);
            redaction.commit();
            assertThat(reader.get(1, TimeUnit.MINUTES)).isEqualTo("TENANT_REDACTED");
        } finally {
            threads.shutdownNow();
        }
    }

    /** So that it finds room between here and its client. */
    @Test
    @Tag("PL-3")
    void the_page_of_a_request_that_has_waited_is_small() throws Exception {
        feed.put();
        feed.rows.update(
                "insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,"
                        + " message_id, mode, state, protocol, body_bytes, body_sha256, cycle_started_at, created_at, updated_at)"
                        + " select nextval('ordinals'), d.tenant_id, d.app_id, d.epoch, d.subscription_id, d.event_ordinal,"
                        + " d.event_recorded_at, d.event_id, d.message_id, d.mode, d.state, d.protocol, b, sha256(b),"
                        + " d.cycle_started_at, d.created_at, d.updated_at"
                        + " from deliveries_live d, generate_series(1, 4), convert_to(repeat('x', ?), 'UTF8') b",
                200_000);

        assertThat(feed.readWaited(200).items()).hasSize(3);
        assertThat(feed.read(null, 200).items()).hasSize(5);
    }

    @Test
    @Tag("PL-1")
    void one_call_covers_a_bounded_number_of_deliveries() throws Exception {
        feed.put();
        feed.rows.update(
                "insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,"
                        + " message_id, mode, state, protocol, cycle_started_at, created_at, updated_at)"
                        + " select nextval('ordinals'), d.tenant_id, d.app_id, d.epoch, d.subscription_id, d.event_ordinal,"
                        + " d.event_recorded_at, d.event_id, d.message_id, d.mode, d.state, d.protocol, d.cycle_started_at, d.created_at,"
                        + " d.updated_at from deliveries_live d, generate_series(1, ?)",
                Advances.MOST_COVERED);
        long last = feed.rows.database.number("select max(id) from deliveries_live");
        long xid = feed.rows.database.number("select max(feed_xid::text::bigint) from deliveries_live");
        FeedPage page = feed.read(null, 1);
        FeedCursor start = FeedCursor.parse(page.committed());

        assertThat(code(() -> feed.advance(
                        page.committed(), start.at(new FeedPosition(xid, last)).encoded())))
                .isEqualTo("CURSOR_TOO_FAR");
        String oneLess = start.at(new FeedPosition(xid, last - 1)).encoded();
        assertThat(feed.advance(page.committed(), oneLess))
                .isEqualTo(new Advance.Moved(oneLess, Advances.MOST_COVERED));
        assertThat(feed.fetch()).containsExactly(last);
    }

    @Test
    @Tag("RD-5")
    void nothing_is_shown_of_a_tenant_from_its_fencing_on() throws Exception {
        feed.put();
        FeedPage before = feed.read(null, 200);
        assertThat(before.items()).hasSize(1);
        feed.rows.update(
                "update tenant_lifecycle set phase = 'REDACTED', epoch = gen_random_uuid() where tenant_id = ?",
                feed.tenant);

        assertThat(feed.repository.page(feed.subscription, FeedPosition.START, 200, Feeds.PAGE_BYTES))
                .as("by the statement itself: what was looked up before may be old")
                .isEmpty();
        assertThat(code(() -> feed.read(null, 1))).isEqualTo("TENANT_REDACTED");
        assertThat(code(() -> feed.advance(before.committed(), before.cursor())))
                .isEqualTo("TENANT_REDACTED");
    }

    @Test
    @Tag("SB-5")
    void what_waits_for_a_deleted_subscription_fails() throws Exception {
        long gone = feed.put();
        UUID other = feed.subscription(feed.tenant);
        long kept;
        try (Connection transaction = feed.open()) {
            kept = feed.put(transaction, other, null);
            transaction.commit();
        }
        FeedSweep sweep = new FeedSweep(feed.repository);
        assertThat(sweep.sweep()).isZero();

        feed.rows.update("delete from subscriptions where id = ?", feed.subscription);

        assertThat(sweep.sweep()).isEqualTo(1);
        assertThat(sweep.sweep()).isZero();
        assertThat(feed.rows.delivery(gone, "state || ' ' || last_code")).isEqualTo("failed SUBSCRIPTION_GONE");
        assertThat(state(kept)).isEqualTo("pending");
        assertThat(feed.rows.database.number("select count(*) from feed_cursors"))
                .isEqualTo(1);
    }

    @Test
    @Tag("SB-5")
    void what_somebody_has_in_hand_of_one_lost_feed_does_not_keep_the_others() throws Exception {
        List<UUID> feeds = Stream.of(feed.subscription, feed.subscription(feed.tenant))
                .sorted(Comparator.comparing(UUID::toString))
                .toList();
        List<Long> waiting = new ArrayList<>();
        for (UUID one : feeds) {
            try (Connection transaction = feed.open()) {
                waiting.add(feed.put(transaction, one, null));
                transaction.commit();
            }
        }
        feed.rows.update("delete from subscriptions");
        FeedSweep sweep = new FeedSweep(feed.repository);
        try (Connection other = feed.open()) {
            other.createStatement().execute("select 1 from deliveries where id = " + waiting.get(0) + " for update");

            assertThat(sweep.sweep()).isEqualTo(1);
            assertThat(state(waiting.get(1))).isEqualTo("failed");
            assertThat(state(waiting.get(0))).isEqualTo("pending");
            other.rollback();
        }
        assertThat(sweep.sweep()).isEqualTo(1);
    }
}
