package dev.ringfence.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringfence.fanout.FanoutCounters.Counter;
import dev.ringfence.fanout.FanoutFixture.Tenant;
import dev.ringfence.outbox.StorageException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the database may do to a publisher: deadlocks, a lost connection, and plans that change under load. */
class FanoutConflictIT {

    private static final String ORDER = "order.order.placed.v1";

    private FanoutFixture fixture;
    private Tenant shop;

    @BeforeEach
    void open() {
        fixture = new FanoutFixture();
        shop = fixture.tenant("shop");
        fixture.subscription(shop, Map.of());
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    @Tag("OB-2")
    void aDeadlockIsTriedAgainAsAWhole() {
        fixture.record(shop, 5, ORDER, "{}");
        fixture.database.execute("create sequence hurt");
        fixture.database.execute(
                "create function deadlock() returns trigger language plpgsql as $$ begin"
                        + " if nextval('hurt') <= 2 then raise exception 'x' using errcode = '40P01'; end if; return null; end $$");
        fixture.database.execute(
                "create trigger deadlock before insert on delivery_keys for each statement execute function deadlock()");
        FanoutResult result = fixture.publisher().runOnce();
        assertThat(result.published()).isEqualTo(5);
        assertThat(fixture.counters.count(Counter.EVENTS_RETRIED)).isZero();
        assertThat(fixture.count("outbox_events", "attempt_count = 1")).isEqualTo(5);
    }

    @Test
    @Tag("OB-2")
    void aDatabaseOutOfReachSpendsNoEvent() {
        fixture.record(shop, 5, ORDER, "{}");
        fixture.database.execute("create function down() returns trigger language plpgsql as $$ begin"
                + " raise exception 'x' using errcode = '57P01'; end $$");
        fixture.database.execute(
                "create trigger down before insert on delivery_keys for each statement execute function down()");
        assertThatThrownBy(() -> fixture.publisher().runOnce()).isInstanceOf(StorageException.class);
        assertThat(fixture.count("outbox_events", "status = 'CLAIMED'")).isEqualTo(5);
    }

    @Test
    @Tag("OB-2")
    void plansFollowTheIndexesWhereStatisticsSayTheWeekIsEmpty() throws Exception {
        fixture.database.execute("alter table " + week() + " set (autovacuum_enabled = off)");
        fixture.database.execute("vacuum analyze outbox_events");
        fixture.record(shop, 20_000, ORDER, "{}");
        Instant now = fixture.clock.instant();
        String choose = seventhPlan(
                ClaimRepository.CHOOSE,
                "bigint, timestamptz, timestamptz, timestamptz, timestamptz, bigint, timestamptz, timestamptz, bigint, bigint",
                "0, '%2$s', '%2$s', '%1$s', '%2$s', 500, '%1$s', '%2$s', 125, 500"
                        .formatted(now, now.plus(Duration.ofDays(1))));
        Instant behind = now.plusMillis(1);
        String move = seventhPlan(
                PublicationRepository.MOVE,
                "bigint[], timestamptz[], text[], timestamptz[], text[], text[], int[], timestamptz, timestamptz, timestamptz, text, timestamptz, timestamptz,"
                        + " timestamptz, timestamptz, timestamptz",
                "'{1}', '{%1$s}', '{PUBLISHED}', '{null}', '{null}', '{null}', '{1}', '%1$s', '%2$s', '%1$s', 'me', '%1$s', '%1$s', '%1$s', '%2$s', '%1$s'"
                        .formatted(now, behind));
        String these = seventhPlan(
                ClaimRepository.CLAIM_THESE,
                "bigint[], timestamptz[], timestamptz, timestamptz, timestamptz, timestamptz, text, timestamptz, timestamptz, timestamptz, timestamptz, timestamptz,"
                        + " timestamptz",
                "'{1}', '{%1$s}', '%1$s', '%2$s', '%1$s', '%1$s', 'me', '%1$s', '%1$s', '%1$s', '%1$s', '%2$s', '%1$s'"
                        .formatted(now, behind));
        String lease = seventhPlan(
                ClaimRepository.LEASE,
                "bigint[], timestamptz[], boolean[], text, timestamptz, timestamptz, timestamptz, timestamptz, timestamptz, timestamptz",
                "'{1}', '{%1$s}', '{false}', 'me', '%1$s', '%1$s', '%1$s', '%1$s', '%2$s', '%1$s'"
                        .formatted(now, behind));
        assertThat(List.of(move, these, lease))
                .allSatisfy(plan -> assertThat(plan)
                        .as("by its key, in its week only")
                        .contains(week() + "_pkey")
                        .doesNotContain("Seq Scan", "Bitmap", week(Duration.ofDays(-7)), week(Duration.ofDays(14))));
        assertThat(choose)
                .doesNotContain("Seq Scan", "Bitmap")
                .contains(week() + "_tenant_id_available_at_ordinal_idx", week() + "_locked_until_idx");
        assertThat(choose).as("weeks to come").doesNotContain(week(Duration.ofDays(14)));
    }

    private String week() throws SQLException {
        return week(Duration.ZERO);
    }

    private String week(Duration ahead) throws SQLException {
        String sql = "select 'outbox_events_' || to_char('"
                + fixture.clock.instant().plus(ahead) + "'::timestamptz at time zone 'UTC', 'IYYY\"w\"IW')";
        try (Connection connection = fixture.database.connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private String seventhPlan(String sql, String types, String values) throws Exception {
        StringBuilder numbered = new StringBuilder();
        int parameter = 0;
        for (char c : sql.toCharArray()) {
            numbered.append(c == '?' ? "$" + ++parameter : String.valueOf(c));
        }
        List<String> lines = new ArrayList<>();
        try (Connection connection = fixture.database.connect();
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(Plans.FOLLOW_THE_INDEX);
            statement.execute("prepare q (" + types + ") as " + numbered);
            for (int i = 0; i < 6; i++) {
                statement.execute("execute q (" + values + ")");
            }
            try (var rows = statement.executeQuery("explain execute q (" + values + ")")) {
                while (rows.next()) {
                    lines.add(rows.getString(1));
                }
            }
        }
        return String.join("\n", lines);
    }
}
