package dev.ringfence.tracking;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.harness.HarnessLifecycle;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.TestDatabase;
import java.net.URI;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Settings, theme and tracking over HTTP in the real server. */
@ArquillianTest
@RunAsClient
class TrackingIT {
    @ArquillianResource
    private URI base;

    private final TestDatabase database = HarnessLifecycle.managedDatabase();
    private final String tenant = "shop-" + UUID.randomUUID();
    private URI api;
    private RingfenceClient operator;
    private RingfenceClient client;
    private String operatorKey;
    private String app;

    @Deployment
    static WebArchive war() {
        return HarnessLifecycle.war();
    }

    @BeforeEach
    void register() {
        api = base.resolve("api/v1/");
        RingfenceClient admin = new RingfenceClient(api, HarnessLifecycle.ADMIN_KEY);
        app = admin.createApp("tracking");
        operatorKey = admin.createKey(app, "operator", "operator");
        operator = admin.as(operatorKey);
        client = admin.as(admin.createKey(app, "client", "client"));
    }

    private String path(String rest) {
        return "apps/" + app + "/tenants/" + tenant + rest;
    }

    private Answer save(String ifMatch, String epoch, String settings) {
        return put(
                "/settings",
                ifMatch,
                "{" + (epoch == null ? "" : "\"epoch\":\"" + epoch + "\",") + "\"settings\":" + settings + "}");
    }

    private Answer put(String rest, String ifMatch, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(api.resolve(path(rest)))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + operatorKey)
                .PUT(HttpRequest.BodyPublishers.ofString(body));
        if (ifMatch != null) {
            request.header("If-Match", ifMatch);
        }
        return RingfenceClient.send(request.build());
    }

    private static String reason(Answer answer) {
        assertThat(answer.body().at("/tracking/recorded").booleanValue()).isFalse();
        return answer.body().at("/tracking/reason").textValue();
    }

    private long events() {
        return database.number("select count(*) from ringfence.outbox_events where app_id = '" + app + "'");
    }

    @Test
    @Tag("RC-2")
    @Tag("LC-9")
    void a_save_is_tracked_by_a_milestone_of_its_revision() {
        String epoch = client.enrol(app, tenant);

        Answer first = save("\"0\"", epoch, "{\"color\":\"red\",\"n\":1e2}").expect(200);
        assertThat(first.body().path("revision").asLong()).isEqualTo(1);
        assertThat(first.body().path("changed").booleanValue()).isTrue();
        assertThat(first.header("ETag")).contains("\"1\"");
        String id = first.body().at("/tracking/eventId").textValue();
        assertThat(id).matches("[0-9a-f]{64}");

        Answer read = client.get(path("/settings")).expect(200);
        assertThat(read.text()).contains("{\"color\":\"red\",\"n\":1e2}");
        assertThat(read.header("ETag")).contains("\"1\"");
        JsonNode envelope =
                client.get("apps/" + app + "/events/" + id).expect(200).body().path("envelope");
        assertThat(envelope.path("eventName").asText()).isEqualTo("tenant.settings.saved.v1");
        assertThat(envelope.at("/payload/configurationRevision").asLong()).isEqualTo(1);
        assertThat(client.get(path("")).body().path("configurationRevision").asLong())
                .isEqualTo(1);

        Answer second = save("\"1\"", epoch, "{\"color\":\"blue\"}").expect(200);
        assertThat(second.body().path("revision").asLong()).isEqualTo(2);
        assertThat(second.body().at("/tracking/eventId").textValue()).isNotEqualTo(id);
        assertThat(events()).isEqualTo(2);
    }

    @Test
    @Tag("RC-2")
    void what_does_not_change_the_settings_is_no_save() {
        String epoch = client.enrol(app, tenant);
        save("\"0\"", epoch, "{\"a\":100,\"b\":2}").expect(200);
        Answer same = save("\"1\"", epoch, "{ \"b\": 2, \"a\": 1e2 }").expect(200);
        assertThat(same.body().path("changed").booleanValue()).isFalse();
        assertThat(same.body().path("revision").asLong()).isEqualTo(1);
        assertThat(reason(same)).isEqualTo("UNCHANGED");
        assertThat(events()).isEqualTo(1);
    }

    @Test
    @Tag("RC-2")
    void a_save_says_which_revision_it_replaces() {
        assertThat(save(null, null, "{}").status()).isEqualTo(428);
        assertThat(save(null, null, "{}").code()).isEqualTo("PRECONDITION_REQUIRED");
        assertThat(save("*", null, "{}").status()).isEqualTo(412);
        assertThat(save("\"1\"", null, "{}").status()).isEqualTo(412);
        assertThat(save("\"x\"", null, "{}").status()).isEqualTo(412);
        save("\"0\"", null, "{}").expect(200);
        Answer late = save("\"0\"", null, "{\"late\":true}");
        assertThat(late.status()).isEqualTo(412);
        assertThat(late.code()).isEqualTo("PRECONDITION_FAILED");
        assertThat(late.header("ETag")).contains("\"1\"");
        save("*", null, "{\"any\":true}").expect(200);
        assertThat(client.get(path("/settings")).body().at("/settings/any").booleanValue())
                .isTrue();
    }

    @Test
    @Tag("RC-2")
    @Tag("LC-2")
    void a_save_stands_whatever_becomes_of_tracking_and_makes_no_tenant() throws SQLException {
        assertThat(reason(save("\"0\"", null, "{\"n\":1}").expect(200))).isEqualTo("EPOCH_MISSING");
        assertThat(reason(
                        save("\"1\"", UUID.randomUUID().toString(), "{\"n\":2}").expect(200)))
                .isEqualTo("STALE_EPOCH");
        assertThat(client.get(path("")).status()).as("a tenant made by a save").isEqualTo(404);

        String epoch = client.enrol(app, tenant);
        try (Connection other = database.connect();
                var statement = other.prepareStatement("select pg_advisory_lock(?)")) {
            statement.setLong(1, FenceKey.of(UUID.fromString(app), tenant).value());
            statement.execute();
            assertThat(reason(save("\"2\"", epoch, "{\"n\":3}").expect(200))).isEqualTo("FENCE_TIMEOUT");
        }
        database.execute("update ringfence.apps set enabled = false where id = '" + app + "'");
        assertThat(reason(save("\"3\"", epoch, "{\"n\":4}").expect(200))).isEqualTo("APP_DISABLED");
        database.execute("update ringfence.apps set enabled = true where id = '" + app + "'");
        database.execute("""
                create function ringfence.broken() returns trigger language plpgsql as
                  $$ begin if new.app_id = '%1$s' then raise exception 'broken'; end if; return new; end $$;
                create trigger broken before insert on ringfence.outbox_events
                  for each row execute function ringfence.broken()""".formatted(app));
        try {
            assertThat(reason(save("\"4\"", epoch, "{\"n\":5}").expect(200))).isEqualTo("UNAVAILABLE");
        } finally {
            database.execute("drop trigger broken on ringfence.outbox_events; drop function ringfence.broken()");
        }
        assertThat(client.get(path("/settings")).body().at("/settings/n").asInt())
                .isEqualTo(5);
        assertThat(events()).isZero();

        Answer tracked = save("\"5\"", epoch, "{\"n\":6}").expect(200);
        assertThat(tracked.body().at("/tracking/recorded").booleanValue()).isTrue();
        assertThat(client.get(path("")).body().path("configurationRevision").asLong())
                .isEqualTo(6);
    }

    @Test
    @Tag("RC-2")
    void after_a_redaction_a_save_is_not_tracked_and_one_from_before_is_refused() {
        String epoch = client.enrol(app, tenant);
        save("\"0\"", epoch, "{\"n\":1}").expect(200);
        database.execute("update ringfence.tenant_lifecycle set phase = 'REDACTED', epoch = gen_random_uuid(),"
                + " last_redacted_at = clock_timestamp() - interval '1 minute' where app_id = '" + app + "'");
        assertThat(reason(save("\"1\"", epoch, "{\"n\":2}").expect(200))).isEqualTo("TENANT_REDACTED");

        String hourAgo = Instant.now()
                .minus(1, ChronoUnit.HOURS)
                .truncatedTo(ChronoUnit.MILLIS)
                .toString();
        Answer old = put(
                "/settings",
                "\"2\"",
                "{\"settings\":{\"n\":3},\"requestStartedAt\":\"" + hourAgo + "\",\"skewBoundMs\":0}");
        assertThat(old.status()).isEqualTo(409);
        assertThat(old.code()).isEqualTo("REQUEST_BEFORE_REDACTION");
        assertThat(client.get(path("/settings")).body().at("/settings/n").asInt())
                .isEqualTo(2);
    }

    @Test
    @Tag("LC-9")
    void theme_and_tracking_change_the_context() {
        String epoch = client.enrol(app, tenant);
        String checked =
                Instant.now().minusSeconds(60).truncatedTo(ChronoUnit.MILLIS).toString();
        ObjectNode theme = RingfenceClient.object()
                .put("epoch", epoch)
                .put("publishedThemeId", "night")
                .put("themeCheckedAt", checked);
        Answer noted = operator.put(path("/theme"), theme).expect(200);
        assertThat(noted.body().path("publishedThemeId").asText()).isEqualTo("night");
        assertThat(Instant.parse(noted.body().path("themeCheckedAt").asText())).isEqualTo(Instant.parse(checked));

        theme.put("publishedThemeId", "older")
                .put("themeCheckedAt", Instant.parse(checked).minusSeconds(1).toString());
        assertThat(operator.put(path("/theme"), theme).code()).isEqualTo("STALE_CONTEXT");
        theme.put(
                "themeCheckedAt",
                Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.MILLIS).toString());
        Answer future = operator.put(path("/theme"), theme);
        assertThat(future.status()).isEqualTo(422);
        assertThat(future.body().at("/errors/0/pointer").asText()).isEqualTo("/themeCheckedAt");

        assertThat(tracking(epoch, false).path("enableGeneration").asLong()).isZero();
        assertThat(tracking(epoch, false).path("enableGeneration").asLong()).isZero();
        assertThat(reason(save("\"0\"", epoch, "{\"n\":1}").expect(200))).isEqualTo("TRACKING_DISABLED");
        assertThat(tracking(epoch, true).path("enableGeneration").asLong()).isEqualTo(1);
        assertThat(tracking(epoch, true).path("enableGeneration").asLong()).isEqualTo(1);
        JsonNode context = tracking(epoch, true);
        assertThat(context.path("configurationRevision").asLong()).isEqualTo(1);
        assertThat(context.path("publishedThemeId").asText()).isEqualTo("night");
        assertThat(operator.put(
                                path("/tracking"),
                                RingfenceClient.object()
                                        .put("epoch", UUID.randomUUID().toString())
                                        .put("enabled", false))
                        .code())
                .isEqualTo("STALE_EPOCH");
    }

    @Test
    @Tag("LC-2")
    void nothing_but_enrolment_makes_a_tenant_active() {
        String epoch = UUID.randomUUID().toString();
        ObjectNode theme = RingfenceClient.object()
                .put("epoch", epoch)
                .put("publishedThemeId", "night")
                .put("themeCheckedAt", "2026-01-01T00:00:00Z");
        assertThat(operator.put(path("/theme"), theme).code()).isEqualTo("STALE_EPOCH");
        assertThat(operator.put(
                                path("/tracking"),
                                RingfenceClient.object().put("epoch", epoch).put("enabled", true))
                        .code())
                .isEqualTo("STALE_EPOCH");
        save("\"0\"", epoch, "{}").expect(200);
        assertThat(database.number("select count(*) from ringfence.tenant_lifecycle where app_id = '" + app + "'"))
                .isZero();
    }

    @Test
    @Tag("SC-1")
    void a_client_reads_settings_and_changes_none() {
        assertThat(client.put(path("/settings"), RingfenceClient.object()).status())
                .isEqualTo(403);
        assertThat(client.put(path("/theme"), RingfenceClient.object()).status())
                .isEqualTo(403);
        assertThat(client.put(path("/tracking"), RingfenceClient.object()).status())
                .isEqualTo(403);
        assertThat(client.get(path("/settings")).status()).isEqualTo(404);
    }

    private JsonNode tracking(String epoch, boolean enabled) {
        return operator.put(
                        path("/tracking"),
                        RingfenceClient.object().put("epoch", epoch).put("enabled", enabled))
                .expect(200)
                .body();
    }
}
