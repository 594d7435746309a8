package dev.ringfence.recording;

import static dev.ringfence.recording.RecordingFixture.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.outbox.StorageException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operations on PostgreSQL: aggregate, events and receipt in one transaction. */
@Timeout(120)
class OperationDecisionIT {
    private static final String AGGREGATES = "select count(*) from ringfence.aggregates";
    private static final String EVENTS = "select count(*) from ringfence.outbox_events";
    private static final String RECEIPTS = "select count(*) from ringfence.operation_receipts";

    /** Orders may be placed and paid, but never cancelled once they are paid. */
    private static final AggregatePolicy PAID_STAYS = new AggregatePolicy() {
        @Override
        public boolean governs(String aggregateType) {
            return aggregateType.equals("order");
        }

        @Override
        public Verdict decide(Proposal proposal) {
            boolean paid = proposal.currentState() != null
                    && proposal.currentState().path("s").asText().equals("paid");
            return paid && proposal.proposedState().path("s").asText().equals("cancelled")
                    ? new Verdict.Rejected("A paid order stays.")
                    : new Verdict.Accepted();
        }
    };

    private final RecordingFixture shop = new RecordingFixture(Map.of(), List.of(PAID_STAYS));

    @AfterEach
    void drop() {
        shop.close();
    }

    @Test
    @Tag("RC-1")
    @Tag("RC-6")
    void an_accepted_operation_commits_state_events_and_receipt() {
        JsonNode receipt = shop.operate("op-1", "o1", 0, "{\"s\":\"placed\"}", event("o1", "{}", ""));
        assertThat(receipt.path("outcome").asText()).isEqualTo("ACCEPTED");
        assertThat(receipt.path("version").asLong()).isEqualTo(1);
        assertThat(receipt.path("eventIds")).hasSize(1);
        assertThat(receipt.path("replayed").booleanValue()).isFalse();
        assertThat(receipt.path("status").asInt()).isEqualTo(200);
        assertThat(shop.database.number(EVENTS + " where idempotency_key = 'op-1'"))
                .isEqualTo(1);
        assertThat(shop.operate("op-2", "o1", 1, "{\"s\":\"paid\"}")
                        .path("version")
                        .asLong())
                .isEqualTo(2);
        assertThat(shop.database.number(AGGREGATES + " where version = 2 and state_text = '{\"s\":\"paid\"}'"))
                .isEqualTo(1);
    }

    @Test
    @Tag("RC-1")
    void an_outbox_insert_that_fails_takes_aggregate_and_receipt_with_it() {
        shop.database.execute("""
                create function ringfence.break() returns trigger language plpgsql as
                  $$ begin raise exception 'broken'; end $$;
                create trigger break before insert on ringfence.outbox_events for each row
                  execute function ringfence.break()""");
        assertThat(catchThrowableOfType(
                        StorageException.class,
                        () -> shop.operate("op-1", "o1", 0, "{\"s\":\"placed\"}", event("o1", "{}", ""))))
                .isNotNull();
        assertThat(shop.database.number(AGGREGATES)).isZero();
        assertThat(shop.database.number(RECEIPTS)).isZero();
        shop.database.execute("drop trigger break on ringfence.outbox_events");
        assertThat(shop.operate("op-1", "o1", 0, "{\"s\":\"placed\"}", event("o1", "{}", ""))
                        .path("outcome")
                        .asText())
                .isEqualTo("ACCEPTED");
    }

    @Test
    @Tag("RC-6")
    void another_version_is_a_conflict_with_a_durable_receipt_and_no_event() {
        shop.operate("op-1", "o1", 0, "{\"s\":\"placed\"}");
        JsonNode receipt = shop.operate("op-2", "o1", 0, "{\"s\":\"other\"}", event("o1", "{}", ""));
        assertThat(receipt.path("outcome").asText()).isEqualTo("CONFLICTED");
        assertThat(receipt.path("status").asInt()).isEqualTo(409);
        assertThat(receipt.path("version").asLong()).isEqualTo(1);
        assertThat(shop.operate("op-3", "o2", 5, "{}").path("outcome").asText()).isEqualTo("CONFLICTED");
        assertThat(shop.database.number(EVENTS)).isZero();
        assertThat(shop.database.number(RECEIPTS + " where outcome = 'CONFLICTED'"))
                .isEqualTo(2);
        shop.operate("op-4", "o1", 1, "{\"s\":\"paid\"}");
        JsonNode replay = shop.operate("op-2", "o1", 0, "{\"s\":\"other\"}", event("o1", "{}", ""));
        assertThat(replay.path("outcome").asText()).isEqualTo("CONFLICTED");
        assertThat(replay.path("replayed").booleanValue()).isTrue();
        assertThat(replay.path("status").asInt()).isEqualTo(409);
        assertThat(replay.path("version").asLong()).isEqualTo(1);
    }

    @Test
    @Tag("RC-6")
    void the_policy_rejects_with_a_durable_receipt_and_no_event() {
        shop.operate("op-1", "o1", 0, "{\"s\":\"paid\"}");
        JsonNode receipt = shop.operate("op-2", "o1", 1, "{\"s\":\"cancelled\"}", event("o1", "{}", ""));
        assertThat(receipt.path("outcome").asText()).isEqualTo("REJECTED");
        assertThat(receipt.path("reason").asText()).isEqualTo("A paid order stays.");
        assertThat(receipt.path("status").asInt()).isEqualTo(200);
        assertThat(shop.database.number(AGGREGATES + " where version = 1")).isEqualTo(1);
        assertThat(shop.database.number(EVENTS)).isZero();
        assertThat(shop.database.number(RECEIPTS + " where outcome = 'REJECTED'"))
                .isEqualTo(1);
    }

    @Test
    @Tag("RC-6")
    void a_replay_returns_the_retained_receipt_and_inserts_nothing() {
        JsonNode first = shop.operate("op-1", "o1", 0, "{\"a\":1000}", event("o1", "{}", ""));
        JsonNode again = shop.operate("op-1", "o1", 0, "{ \"a\" : 1e3 }", event("o1", "{ }", ""));
        assertThat(again.path("replayed").booleanValue()).isTrue();
        assertThat(again.path("eventIds")).isEqualTo(first.path("eventIds"));
        assertThat(shop.database.number(EVENTS)).isEqualTo(1);
        assertThat(shop.database.number(AGGREGATES + " where version = 1")).isEqualTo(1);
    }

    @Test
    @Tag("RC-6")
    void an_operation_id_with_another_body_is_refused() {
        shop.operate("op-1", "o1", 0, "{\"s\":\"placed\"}");
        ApiProblem problem =
                catchThrowableOfType(ApiProblem.class, () -> shop.operate("op-1", "o2", 0, "{\"s\":\"placed\"}"));
        assertThat(problem.status()).isEqualTo(422);
        assertThat(problem.code()).isEqualTo("IDEMPOTENCY_KEY_REUSED");
        assertThat(problem.errors()).extracting("pointer").containsExactly("/clientOperationId");
        assertThat(shop.database.number(AGGREGATES)).isEqualTo(1);
    }

    @Test
    @Tag("RC-6")
    void malformed_input_leaves_no_receipt() {
        assertThat(catchThrowableOfType(ApiProblem.class, () -> shop.operate("op-1", "o1", 0, "7")))
                .isNotNull();
        assertThat(shop.database.number(RECEIPTS)).isZero();
    }

    @Test
    @Tag("RC-6")
    void one_operation_sent_ten_times_at_once_runs_once() throws Exception {
        List<JsonNode> receipts = all(Collections.nCopies(
                10, () -> shop.operate("op-1", "o1", 0, "{\"s\":\"placed\"}", event("o1", "{}", ""))));
        assertThat(receipts)
                .allMatch(receipt -> receipt.path("outcome").asText().equals("ACCEPTED"));
        assertThat(receipts.stream().filter(receipt -> !receipt.path("replayed").booleanValue()))
                .hasSize(1);
        assertThat(shop.database.number(EVENTS)).isEqualTo(1);
    }

    @Test
    @Tag("RC-6")
    void of_ten_operations_on_one_version_one_is_accepted() throws Exception {
        List<Callable<JsonNode>> work = new java.util.ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String id = "op-" + i;
            work.add(() -> shop.operate(id, "o1", 0, "{}", event("o1", "{}", "")));
        }
        List<JsonNode> receipts = all(work);
        assertThat(receipts.stream()
                        .filter(receipt -> receipt.path("outcome").asText().equals("ACCEPTED")))
                .hasSize(1);
        assertThat(receipts.stream()
                        .filter(receipt -> receipt.path("outcome").asText().equals("CONFLICTED")))
                .hasSize(9);
        assertThat(shop.database.number(EVENTS)).isEqualTo(1);
        assertThat(shop.database.number(RECEIPTS)).isEqualTo(10);
    }

    private static <T> List<T> all(List<Callable<T>> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(work.size());
        try {
            List<T> results = new java.util.ArrayList<>();
            for (Future<T> future : threads.invokeAll(work)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdown();
        }
    }
}
