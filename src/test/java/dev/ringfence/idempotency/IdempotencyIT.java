package dev.ringfence.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.HarnessLifecycle;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A POST that is sent again, on the real server. */
@ArquillianTest
@RunAsClient
@Tag("RC-12")
class IdempotencyIT {

    /** Ends the session of the first such application's transaction while it commits. */
    private static final String CUT_OFF = """
            create sequence ringfence.cut_off;
            create function ringfence.cut_off() returns trigger language plpgsql security definer as $$
            begin
              if new.name = 'cut off at commit' and nextval('ringfence.cut_off') = 1 then
                perform pg_terminate_backend(pg_backend_pid());
              end if;
              return null;
            end $$;
            create constraint trigger cut_off after insert on ringfence.apps
              deferrable initially deferred for each row execute function ringfence.cut_off();""";

    private static final String MEND = """
            drop trigger cut_off on ringfence.apps;
            drop function ringfence.cut_off();
            drop sequence ringfence.cut_off""";

    @ArquillianResource
    private URI base;

    private RingfenceClient admin;

    @Deployment
    static WebArchive war() {
        return HarnessLifecycle.war();
    }

    @BeforeEach
    void connect() {
        admin = new RingfenceClient(base.resolve("api/v1/"), HarnessLifecycle.ADMIN_KEY);
    }

    @Test
    void theSameRequestIsDoneOnceAndAnsweredTwice() {
        String key = UUID.randomUUID().toString();
        Answer first = createApp(key, "once");
        Answer second = createApp(key, "once");

        assertThat(first.status()).isEqualTo(201);
        assertThat(first.header("Idempotency-Replayed")).isEmpty();
        assertThat(second.status()).isEqualTo(201);
        assertThat(second.text()).isEqualTo(first.text());
        assertThat(second.header("Idempotency-Replayed")).contains("true");
        assertThat(createApp(UUID.randomUUID().toString(), "once").text()).isNotEqualTo(first.text());
    }

    @Test
    void anotherBodyIsRefused() {
        String key = UUID.randomUUID().toString();
        createApp(key, "this").expect(201);

        Answer other = createApp(key, "that");

        assertThat(other.status()).isEqualTo(422);
        assertThat(other.code()).isEqualTo("IDEMPOTENCY_KEY_REUSED");
    }

    @Test
    void aRefusalIsNotKept() {
        String key = UUID.randomUUID().toString();
        assertThat(createApp(key, "").status()).isEqualTo(422);

        createApp(key, "now right").expect(201);
    }

    @Test
    void callersAndPathsHaveTheirOwnKeys() {
        String app = admin.createApp("own keys");
        String key = UUID.randomUUID().toString();
        ObjectNode body = RingfenceClient.object().put("name", "k");
        body.putArray("roles").add("admin");
        Answer first = post("apps/" + app + "/keys", key, body, HarnessLifecycle.ADMIN_KEY);

        Answer otherCaller = post(
                "apps/" + app + "/keys", key, body, first.body().path("secret").asText());
        Answer otherPath = createApp(key, "other path");

        assertThat(otherCaller.expect(201).header("Idempotency-Replayed")).isEmpty();
        assertThat(otherPath.expect(201).header("Idempotency-Replayed")).isEmpty();
    }

    @Test
    @Tag("SC-2")
    void anIssuedSecretIsNeitherKeptNorRepeated() throws Exception {
        String app = admin.createApp("secrets");
        String key = UUID.randomUUID().toString();
        ObjectNode body = RingfenceClient.object().put("name", "k");
        body.putArray("roles").add("client");
        String path = "apps/" + app + "/keys";

        Answer first = post(path, key, body, HarnessLifecycle.ADMIN_KEY).expect(201);
        Answer again = post(path, key, body, HarnessLifecycle.ADMIN_KEY).expect(201);

        String secret = first.body().path("secret").asText();
        assertThat(secret).startsWith("rfk_");
        assertThat(again.header("Idempotency-Replayed")).contains("true");
        assertThat(again.body().path("id")).isEqualTo(first.body().path("id"));
        assertThat(again.text()).doesNotContain("secret");
        try (Connection connection = HarnessLifecycle.managedDatabase().connect();
                var statement = connection.prepareStatement(
                        "select count(*), count(*) filter (where convert_from(response, 'UTF8') like '%' || ? || '%')"
                                + " from ringfence.idempotency_keys where key = ?")) {
            statement.setString(1, secret);
            statement.setString(2, key);
            try (var row = statement.executeQuery()) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(1);
                assertThat(row.getInt(2)).isZero();
            }
        }
    }

    @Test
    void tenAtOnceAreDoneOnce() {
        String key = UUID.randomUUID().toString();
        ExecutorService pool = Executors.newFixedThreadPool(10);
        try {
            List<CompletableFuture<Answer>> calls = IntStream.range(0, 10)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> createApp(key, "at once"), pool))
                    .toList();
            List<Answer> answers = calls.stream().map(CompletableFuture::join).toList();

            assertThat(answers).extracting(Answer::status).containsOnly(201);
            assertThat(answers)
                    .extracting(Answer::text)
                    .hasSize(10)
                    .containsOnly(answers.get(0).text());
            assertThat(answers)
                    .filteredOn(answer -> answer.header("Idempotency-Replayed").isEmpty())
                    .hasSize(1);
        } finally {
            pool.shutdown();
        }
    }

    @Test
    void anExpiredAnswerIsTakenOver() {
        String key = UUID.randomUUID().toString();
        Answer first = createApp(key, "expired").expect(201);
        HarnessLifecycle.managedDatabase()
                .execute("update ringfence.idempotency_keys set expires_at = created_at where key = '" + key + "'");

        Answer later = createApp(key, "another body").expect(201);

        assertThat(later.body().path("id")).isNotEqualTo(first.body().path("id"));
        assertThat(createApp(key, "another body").text()).isEqualTo(later.text());
    }

    @Test
    void waitingForTheFirstIsBounded() throws Exception {
        String key = UUID.randomUUID().toString();
        createApp(key, "held").expect(201);
        try (Connection other = HarnessLifecycle.managedDatabase().connect()) {
            other.setAutoCommit(false);
            try (var statement = other.createStatement()) {
                statement.execute("select from ringfence.idempotency_keys where key = '" + key + "' for update");
            }
            Answer waiting = createApp(key, "held");
            other.rollback();

            assertThat(waiting.status()).isEqualTo(409);
            assertThat(waiting.code()).isEqualTo("IDEMPOTENCY_KEY_IN_USE");
        }
        createApp(key, "held").expect(201);
    }

    /** Who is told nothing of a commit may ask again, with the same key. */
    @Test
    @Tag("SC-3")
    void aCommitThatIsCutOffIsUnavailableAndMayBeSentAgain() {
        HarnessLifecycle.managedDatabase().execute(CUT_OFF);
        try {
            String key = UUID.randomUUID().toString();
            Answer cut = createApp(key, "cut off at commit");
            Answer again = createApp(key, "cut off at commit").expect(201);

            assertThat(cut.status()).isEqualTo(503);
            assertThat(cut.code()).isEqualTo("UNAVAILABLE");
            assertThat(cut.header("Retry-After")).isPresent();
            assertThat(createApp(key, "cut off at commit").text()).isEqualTo(again.text());
        } finally {
            HarnessLifecycle.managedDatabase().execute(MEND);
        }
    }

    @Test
    void keysAreVisibleAscii() {
        Answer answer = createApp("with blank", "bad key");

        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.code()).isEqualTo("INVALID");
    }

    @Test
    void keysHaveALimit() {
        createApp("k".repeat(250) + UUID.randomUUID().toString().substring(0, 5), "long")
                .expect(201);
        assertThat(createApp("k".repeat(256), "too long").status()).isEqualTo(422);
    }

    private Answer createApp(String key, String name) {
        return post("apps", key, RingfenceClient.object().put("name", name), HarnessLifecycle.ADMIN_KEY);
    }

    private Answer post(String path, String key, ObjectNode body, String secret) {
        return RingfenceClient.send(
                HttpRequest.newBuilder(base.resolve("api/v1/").resolve(path))
                        .header("Authorization", "Bearer " + secret)
                        .header("Content-Type", "application/json")
                        .header("Idempotency-Key", key)
                        .POST(BodyPublishers.ofString(body.toString()))
                        .build());
    }
}
