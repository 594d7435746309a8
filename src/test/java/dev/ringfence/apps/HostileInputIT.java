package dev.ringfence.apps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.HarnessLifecycle;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.signing.StandardWebhooks;
import dev.ringfence.signing.WebhookSecret;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every operation of the interface with input that nobody should send (SC-3): each answer is a problem document with its code, and with the
 * place where the fault is in the body; nothing is a server's fault, and nothing is stored.
 */
@ArquillianTest
@RunAsClient
class HostileInputIT {

    private static final String JSON = "application/json";
    private static final String SECRET = "a secret of an inbox consumer";
    private static final Set<String> METHODS = Set.of("GET", "POST", "PUT", "PATCH", "DELETE", "BREW");

    @ArquillianResource
    private URI base;

    private final TestDatabase database = HarnessLifecycle.managedDatabase();
    private final String tenant = "shop-" + UUID.randomUUID();
    private final String consumer = "inbox-" + UUID.randomUUID();
    private final List<String> faults = new ArrayList<>();
    private RingfenceClient admin;
    private String app;
    private String epoch;
    private String subscription;
    private String event;
    private String reader;
    private String cursor;
    private final String redaction = UUID.randomUUID().toString();
    private final String marker = UUID.randomUUID().toString();

    @Deployment
    static WebArchive war() {
        return HarnessLifecycle.war();
    }

    /**
     * An operation with a body.
     *
     * @param open see {@link HostileJson#badProperties}
     */
    private record Write(String method, String template, ObjectNode good, Set<String> open) {
        boolean signed() {
            return template.startsWith("inbox/");
        }

        @Override
        public String toString() {
            return method + " " + template + " ";
        }
    }

    @BeforeEach
    void register() {
        admin = new RingfenceClient(base.resolve("api/v1/"), HarnessLifecycle.ADMIN_KEY);
        app = admin.createApp("hostile");
        epoch = admin.enrol(app, tenant);
        admin.post("inbox-consumers", consumer(consumer)).expect(201);
        subscription = admin.post("apps/" + app + "/tenants/" + tenant + "/subscriptions", subscription())
                .expect(201)
                .body()
                .path("id")
                .asText();
        event = admin.post("apps/" + app + "/tenants/" + tenant + "/operations", operation("first"))
                .expect(200)
                .body()
                .at("/eventIds/0")
                .asText();
        reader = admin.post(
                        "apps/" + app + "/tenants/" + tenant + "/subscriptions",
                        RingfenceClient.object().put("name", "reader").put("mode", "PULL"))
                .expect(201)
                .body()
                .path("id")
                .asText();
        cursor = admin.get("apps/" + app + "/subscriptions/" + reader + "/feed")
                .expect(200)
                .body()
                .path("cursor")
                .asText();
        redaction();
    }

    private List<Write> writes() {
        return List.of(
                new Write("POST", "apps", app(), Set.of()),
                new Write("PATCH", "apps/{app}", app().put("enabled", true).put("reason", "r"), Set.of()),
                new Write("POST", "apps/{app}/keys", key(), Set.of()),
                new Write("POST", "apps/{app}/tenants/{tenant}/enrolment", enrolment(), Set.of()),
                new Write(
                        "POST",
                        "apps/{app}/tenants/{tenant}/events",
                        events(),
                        Set.of("/events/0/payload", "/events/0/metadata")),
                new Write(
                        "POST",
                        "apps/{app}/tenants/{tenant}/operations",
                        operation(UUID.randomUUID().toString()),
                        Set.of("/state", "/events/0/payload", "/events/0/metadata")),
                new Write(
                        "POST",
                        "apps/{app}/tenants/{tenant}/subscriptions",
                        subscription(),
                        Set.of("/match/0", "/headers")),
                new Write("PUT", "apps/{app}/subscriptions/{id}/grants", grants(), Set.of()),
                new Write(
                        "POST",
                        "apps/{app}/subscriptions/{id}/rotate-secret",
                        RingfenceClient.object().put("graceSeconds", 0),
                        Set.of()),
                new Write("POST", "apps/{app}/subscriptions/{id}/replays", replay(), Set.of()),
                new Write(
                        "PUT",
                        "apps/{app}/subscriptions/{id}/cursor",
                        RingfenceClient.object().put("from", cursor).put("to", cursor),
                        Set.of()),
                new Write("POST", "inbox-consumers", consumer("new-" + UUID.randomUUID()), Set.of()),
                new Write("POST", "inbox/{consumer}", envelope(), Set.of("/payload", "/metadata", "/actor")),
                new Write("PUT", "apps/{app}/tenants/{tenant}/settings", settings(), Set.of("/settings")),
                new Write("PUT", "apps/{app}/tenants/{tenant}/theme", theme(), Set.of()),
                new Write("PUT", "apps/{app}/tenants/{tenant}/tracking", tracking(), Set.of()),
                new Write("POST", "apps/{app}/redactions/{redaction}/reconcile", finding(), Set.of()),
                // the last, for it ends what the others are good for
                new Write("POST", "apps/{app}/tenants/{tenant}/redactions", order(), Set.of()));
    }

    private ObjectNode context() {
        return RingfenceClient.object()
                .put("epoch", epoch)
                .put("requestStartedAt", Instant.now().toString())
                .put("skewBoundMs", 100);
    }

    private ObjectNode settings() {
        ObjectNode body = context();
        body.putObject("settings").put("colour", "blue");
        return body;
    }

    private ObjectNode theme() {
        return context()
                .put("publishedThemeId", "theme-1")
                .put("themeCheckedAt", Instant.now().toString());
    }

    private ObjectNode tracking() {
        return context().put("enabled", true);
    }

    private ObjectNode finding() {
        ObjectNode body = RingfenceClient.object().put("finding", "PRESENT").put("reason", "r");
        body.putArray("markers").add(marker);
        return body;
    }

    private static ObjectNode order() {
        return RingfenceClient.object().put("reason", "r").put("remoteErasure", false);
    }

    /** A redaction that is done, with one marker. */
    private void redaction() {
        database.execute(
                "insert into redactions (id, app_id, tenant_hash, tenant_id, boundary, remote_erasure, status, requested_at,"
                        + " updated_at, finished_at, next_at) values ('" + redaction + "', '" + app
                        + "', sha256('gone'), 0, now(), false, 'DONE', now(), now(), now(), now())");
        database.execute(
                "insert into unresolved_markers (reservation_id, redaction_id, app_id, tenant_id, event_id, started_at, epoch)"
                        + " values ('" + marker + "', '" + redaction + "', '" + app
                        + "', 0, 'evt_1', now(), gen_random_uuid())");
    }

    private static ObjectNode app() {
        ObjectNode body = RingfenceClient.object().put("name", "n").put("minSkewBoundMs", 10);
        body.putObject("remoteErasure").put("url", "https://8.8.8.8/erase").put("secret", "s");
        return body;
    }

    private static ObjectNode replay() {
        ObjectNode body = RingfenceClient.object()
                .put("from", "2026-11-01T00:00:00Z")
                .put("to", "2026-11-02T00:00:00Z")
                .put("reason", "r");
        body.putArray("states").add("dead");
        return body;
    }

    private static ObjectNode key() {
        ObjectNode body = RingfenceClient.object().put("name", "k");
        body.putArray("roles").add("client").add("auditor");
        return body;
    }

    private static ObjectNode enrolment() {
        String now = Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
        ObjectNode body = RingfenceClient.object().put("requestStartedAt", now).put("skewBoundMs", 100);
        body.putObject("session").put("id", "s").put("authenticatedAt", now);
        return body;
    }

    private ObjectNode events() {
        ObjectNode body = RingfenceClient.object()
                .put("epoch", epoch)
                .put("requestStartedAt", Instant.now().toString())
                .put("skewBoundMs", 100);
        body.putArray("events").add(event());
        return body;
    }

    private static ObjectNode event() {
        ObjectNode event = RingfenceClient.object()
                .put("name", "shop.order.placed.v1")
                .put("aggregateType", "order")
                .put("aggregateId", "o-1")
                .put("occurredAt", "2026-06-03T10:00:00.123Z")
                .put("workspaceId", "w")
                .put("relationshipId", "r")
                .put("causationId", "c")
                .put("orderingKey", "o")
                .put("occurrenceKey", UUID.randomUUID().toString())
                .put("milestone", false);
        event.putObject("actor").put("type", "user").put("id", "u");
        event.putObject("payload").put("total", 1);
        event.putObject("metadata").put("m", 1);
        return event;
    }

    private ObjectNode operation(String id) {
        ObjectNode body = RingfenceClient.object().put("clientOperationId", id).put("epoch", epoch);
        body.putObject("aggregate").put("type", "order").put("id", id).put("expectedVersion", 0);
        body.putObject("state").put("s", 1);
        body.putArray("events").add(event());
        return body;
    }

    private static ObjectNode subscription() {
        ObjectNode body = RingfenceClient.object()
                .put("name", "orders")
                .put("mode", "PUSH")
                .put("url", "https://8.8.8.8/in")
                .put("ack", "STATUS")
                .put("semantics", "AT_LEAST_ONCE")
                .put("ordering", "NONE")
                .put("onDead", "CONTINUE")
                .put("timeoutMs", 2_000)
                .put("deadThreshold", 10);
        body.putArray("eventTypes").add("nobody.*");
        body.putArray("match").addObject().put("payload.country", "DE");
        body.putArray("signing")
                .addObject()
                .put("scheme", "webhook-id")
                .put("secret", SECRET)
                .put("prefix", "shop");
        body.putObject("headers").put("X-Shop", "1");
        body.putObject("auth").put("type", "bearer").put("token", "t");
        body.putObject("limits").put("inFlight", 5);
        body.putArray("grants").add("nobody.*");
        ObjectNode retry = body.putObject("retry").put("attempts", 2).put("jitter", 0.5);
        retry.putArray("waitsSeconds").add(60);
        return body;
    }

    private static ObjectNode grants() {
        ObjectNode body = RingfenceClient.object();
        body.putArray("families").add("order.*");
        return body;
    }

    private static ObjectNode consumer(String name) {
        return RingfenceClient.object()
                .put("name", name)
                .put("scheme", "webhook-id")
                .put("secret", SECRET);
    }

    private ObjectNode envelope() {
        ObjectNode body = RingfenceClient.object()
                .put("appId", app)
                .put("eventId", "evt_" + UUID.randomUUID())
                .put("eventName", "shop.order.placed.v1")
                .put("eventVersion", 1)
                .put("occurredAt", "2026-06-03T10:00:00.123Z")
                .put("recordedAt", "2026-06-03T10:00:00.123Z")
                .put("producer", "shop")
                .put("aggregateType", "order")
                .put("aggregateId", "o-1")
                .put("correlationId", "c")
                .put("causationId", "c");
        body.putObject("actor").put("type", "system");
        body.putObject("payload");
        body.putObject("metadata");
        return body;
    }

    @Test
    @Tag("SC-3")
    void no_body_that_is_no_json_gets_in() throws SQLException {
        Map<String, Long> before = rows();
        for (Write write : writes()) {
            HostileJson.malformed(write.good())
                    .forEach((what, body) ->
                            problem(write + what, send(write, JSON, body), 400, "MALFORMED_JSON", null));
            for (HostileJson.Bad bad : HostileJson.unusable(write.good())) {
                problem(write + bad.what(), send(write, JSON, bad.body()), 422, "INVALID", bad.pointer());
            }
        }
        assertNothingHappened(before);
    }

    @Test
    @Tag("SC-3")
    @Tag("RC-8")
    void no_property_of_any_body_takes_what_it_must_not() throws SQLException {
        Map<String, Long> before = rows();
        for (Write write : writes()) {
            for (HostileJson.Bad bad : HostileJson.badProperties(write.good(), write.open(), !write.signed())) {
                if (!isAllowed(write, bad)) {
                    problem(write + bad.what(), send(write, JSON, bad.body()), 422, "INVALID", bad.pointer());
                }
            }
        }
        assertNothingHappened(before);
    }

    /** What looks like a fault and is documented to be none. */
    private static boolean isAllowed(Write write, HostileJson.Bad bad) {
        boolean erasureRemoved = write.method().equals("PATCH") && bad.what().equals("/remoteErasure = null");
        boolean noTheme = write.template().endsWith("/theme") && bad.what().equals("/publishedThemeId = null");
        boolean passedOnAsItIs = write.signed()
                && bad.what().contains("\"xxxx")
                && !bad.pointer().matches("/(appId|event).*|/.*At");
        return erasureRemoved || noTheme || passedOnAsItIs;
    }

    @Test
    @Tag("SC-3")
    void only_json_is_taken_and_only_json_is_given() throws SQLException {
        Map<String, Long> before = rows();
        for (Write write : writes()) {
            byte[] good = HostileJson.utf8(write.good().toString());
            for (String type : List.of(
                    "text/plain",
                    "application/xml",
                    "multipart/form-data; boundary=x",
                    "application/x-www-form-urlencoded",
                    "*/*",
                    "application/*",
                    "")) {
                problem(write + " as " + type, send(write, type, good), 415, "UNSUPPORTED_MEDIA_TYPE", null);
            }
            for (String accept : List.of("text/html", "application/xml", "image/*")) {
                problem(
                        write + " for " + accept,
                        RingfenceClient.send(request(write, JSON, good)
                                .header("Accept", accept)
                                .build()),
                        406,
                        "NOT_ACCEPTABLE",
                        null);
            }
        }
        for (Operation operation : Operation.withKey()) {
            HttpRequest.Builder request = request(operation.method(), path(operation.template()), new byte[0])
                    .header("Accept", "text/html");
            if (operation.method().matches("POST|PUT|PATCH")) {
                request.header("Content-Type", JSON);
            }
            problem(operation + " for text/html", RingfenceClient.send(request.build()), 406, "NOT_ACCEPTABLE", null);
        }
        assertNothingHappened(before);
    }

    @Test
    @Tag("SC-3")
    void no_operation_takes_a_parameter_that_it_does_not_know() throws SQLException {
        Map<String, Long> before = rows();
        for (Write write : writes()) {
            byte[] good = HostileJson.utf8(write.good().toString());
            problem(
                    write + "?zz",
                    send(write.method(), path(write.template()) + "?zz=1", write, JSON, good),
                    422,
                    "INVALID",
                    "/zz");
        }
        for (Operation operation : Operation.withKey()) {
            if (operation.method().matches("GET|DELETE")) {
                for (String query : List.of("?zz=1", "?zz", "?Limit=1", "?=x", "?zz%5B%5D=1")) {
                    Answer answer = RingfenceClient.send(
                            request(operation.method(), path(operation.template()) + query, new byte[0])
                                    .build());
                    problem(operation + query, answer, 422, "INVALID", null);
                }
            }
        }
        assertNothingHappened(before);
    }

    @Test
    @Tag("SC-3")
    void no_id_in_a_path_is_more_than_not_found() throws SQLException {
        Map<String, Long> before = rows();
        List<String> ids = List.of(
                "x",
                "%20",
                "%01",
                "%7F",
                "%C3%A4",
                "%F0%9F%98%80",
                "%EF%BF%BF",
                "%ED%A0%80",
                "%FF",
                "%00",
                "a%00b",
                "..%2F..%2Fetc",
                "%2E%2E",
                "'%20or%20'1'='1",
                "%25s%25n",
                "$%7Bjndi:ldap:x%7D",
                "-1",
                "9223372036854775808",
                "a;b=c",
                "x".repeat(201),
                "x".repeat(4_000),
                "00000000-0000-4000-8000-00000000000g",
                "%7B%7D",
                "a+b",
                "%0D%0ASet-Cookie:x");
        Map<String, Write> writes = new TreeMap<>();
        writes().forEach(write -> writes.put(write.method() + write.template(), write));
        for (Operation operation : Operation.withKey()) {
            for (String name : parameters(operation.template())) {
                if (operation.template().matches(".*/(enrolment|redactions)") && name.equals("tenant")) {
                    continue; // takes whatever name a tenant may have
                }
                for (String id : ids) {
                    Write write = writes.get(operation.method() + operation.template());
                    String path = path(operation.template().replace("{" + name + "}", id));
                    boolean bodied = operation.method().matches("POST|PUT|PATCH");
                    byte[] body = HostileJson.utf8(write != null ? write.good().toString() : bodied ? "{}" : "");
                    HttpRequest.Builder request = request(operation.method(), path, body);
                    if (bodied) {
                        request.header("Content-Type", JSON);
                    }
                    idProblem(operation + " " + name + "=" + id, RingfenceClient.send(request.build()), operation);
                }
            }
        }
        assertNothingHappened(before);
    }

    private static List<String> parameters(String template) {
        return java.util.regex.Pattern.compile("\\{([^}]+)}")
                .matcher(template)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    /** A tenant's name may be nearly anything: then there is no such tenant, which a list of its things and a write say in their own ways. */
    private void idProblem(String what, Answer answer, Operation operation) {
        boolean ok = switch (answer.status()) {
            case 404 -> answer.code().equals("NOT_FOUND");
            case 422 -> answer.code().equals("INVALID");
            case 400 -> answer.code().equals("BAD_REQUEST") && what.matches(".*=%(FF|ED%A0%80)");
            case 428 -> answer.code().equals("PRECONDITION_REQUIRED");
            case 409 ->
                answer.code().equals("STALE_EPOCH") && operation.template().contains("{tenant}");
            default -> false;
        };
        if (!ok || !isProblem(answer)) {
            faults.add(what + " -> " + show(answer));
        }
    }

    /** What no HTTP client sends, on a bare socket. */
    @Test
    @Tag("SC-3")
    void an_address_or_header_that_cannot_be_read_is_no_page_of_the_server() throws Exception {
        Map<String, Long> before = rows();
        String post = "POST " + base.getPath() + "api/v1/apps";
        String json = "\r\nContent-Length: 2\r\nContent-Type: ";
        for (String request : List.of(
                get("apps/%zz"),
                get("apps/%F"),
                get("apps?limit=%FF"),
                get("apps?limit=%zz"),
                get("apps?%=1"),
                get("apps//keys"),
                get("apps/" + app + "//events"),
                get("apps/" + app + "/tenants/\u00e4"),
                get("apps") + "\r\nAccept: a/b/c",
                get("apps") + "\r\nAccept: ;;",
                get("apps") + "\r\nAccept: text/html;q=x",
                get("apps") + "\r\nAccept: application/json;q=2",
                get("apps") + "\r\nAccept: application/json;q=0.5;q=-1",
                post + " HTTP/1.1" + json + "json",
                post + " HTTP/1.1" + json + ";",
                post + " HTTP/1.1" + json + "application/json; charset=x y",
                post + " HTTP/1.1" + json + "application/json\r\nContent-Encoding: gzip",
                post + "/" + app + " HTTP/1.1" + json + "application/json\r\nX-HTTP-Method-Override: DELETE")) {
            String answer = exchange(request);
            boolean problem = answer.matches(
                    "(?s)HTTP/1.1 4[0-9][0-9] .*Content-Type: application/problem\\+json.*\"code\":\".*");
            // What the server cannot even parse never reaches the application; it closes the connection without a word.
            boolean unparsed = answer.matches("(?s)HTTP/1.1 400 [^\\r]*\\r\\n.*Content-Length: 0\\r\\n.*\\r\\n\\r\\n");
            if (!problem && !unparsed) {
                faults.add(request + " -> " + answer);
            }
        }
        assertNothingHappened(before);
    }

    private String get(String path) {
        return "GET " + base.getPath() + "api/v1/" + path + " HTTP/1.1";
    }

    private String exchange(String request) throws IOException {
        String whole = request + "\r\nAuthorization: Bearer " + HarnessLifecycle.ADMIN_KEY
                + "\r\nHost: localhost\r\nConnection: close\r\n\r\n{}";
        try (Socket socket = new Socket(base.getHost(), base.getPort())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(whole.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** A filter of a subscription may compare with any value, but not with a text of any size. */
    @Test
    @Tag("SC-3")
    void a_value_to_compare_with_has_a_bound() throws SQLException {
        Map<String, Long> before = rows();
        Write write = writes().stream()
                .filter(candidate -> candidate.template().endsWith("/subscriptions"))
                .findFirst()
                .orElseThrow();
        ObjectNode one = subscription();
        ((ObjectNode) one.at("/match/0")).put("payload.country", "x".repeat(100_000));
        ObjectNode listed = subscription();
        ((ObjectNode) listed.at("/match/0")).putArray("payload.country").add("x".repeat(100_000));
        for (ObjectNode body : List.of(one, listed)) {
            problem("a long value", send(write, JSON, HostileJson.utf8(body.toString())), 422, "INVALID", null);
        }
        assertNothingHappened(before);
    }

    @Test
    @Tag("SC-3")
    void every_path_says_which_methods_it_has() throws SQLException {
        Map<String, Long> before = rows();
        Map<String, Set<String>> defined = new LinkedHashMap<>();
        defined.put("inbox/{consumer}", new TreeSet<>(Set.of("POST")));
        for (Operation operation : Operation.withKey()) {
            defined.computeIfAbsent(operation.template().replaceAll("/$", ""), none -> new TreeSet<>())
                    .add(operation.method());
        }
        defined.forEach((template, methods) -> {
            for (String method : METHODS) {
                if (!methods.contains(method)) {
                    Answer answer = RingfenceClient.send(request(method, path(template), new byte[0])
                            .header("Content-Type", JSON)
                            .build());
                    problem(method + " " + template, answer, 405, "METHOD_NOT_ALLOWED", null);
                    Set<String> allowed = new TreeSet<>(
                            List.of(answer.header("Allow").orElse("").split(", *")));
                    allowed.removeAll(Set.of("HEAD", "OPTIONS"));
                    if (!allowed.equals(methods)) {
                        faults.add(
                                method + " " + template + ": Allow is " + answer.header("Allow") + ", not " + methods);
                    }
                }
            }
            for (String below : List.of("/zz/zz/zz/zz/zz", "/%20/%20/%20/%20/%20")) {
                problem(
                        template + below,
                        RingfenceClient.send(request("GET", path(template) + below, new byte[0])
                                .build()),
                        404,
                        "NOT_FOUND",
                        null);
            }
        });
        assertNothingHappened(before);
    }

    @Test
    @Tag("SC-3")
    void headers_and_cursors_that_cannot_be_read_are_refused_or_ignored() throws SQLException {
        Map<String, Long> before = rows();
        for (Write write : writes()) {
            if (write.method().equals("POST") && !write.signed()) {
                for (String key : List.of("x".repeat(256), "a b", "\t")) {
                    Answer answer = RingfenceClient.send(
                            request(write, JSON, HostileJson.utf8(write.good().toString()))
                                    .setHeader("Idempotency-Key", key)
                                    .build());
                    problem(write + " key " + key, answer, 422, "INVALID", "");
                }
            }
        }
        for (Operation operation : Operation.withKey()) {
            if (operation.method().equals("GET")) {
                Answer answer = RingfenceClient.send(request("GET", path(operation.template()), new byte[0])
                        .header("If-None-Match", "\"unclosed")
                        .header("If-Modified-Since", "yesterday")
                        .header("Accept-Language", "%%%")
                        .header("Range", "bytes=9-1")
                        .header("Ringfence-Correlation-Id", "cor_" + "A".repeat(44))
                        .header("traceparent", "00-0-0-0")
                        .build());
                if (answer.status() >= 400 && !(answer.status() == 404 && isProblem(answer))) {
                    faults.add(operation + " -> " + show(answer));
                }
            }
        }
        String own = "apps/" + app;
        for (String list : List.of(
                "apps",
                own + "/keys",
                own + "/tenants/" + tenant + "/subscriptions",
                own + "/events",
                own + "/deliveries",
                own + "/subscriptions/" + reader + "/feed",
                "inbox-consumers",
                own + "/redactions/" + redaction + "/markers",
                own + "/events/" + event + "/receipts")) {
            for (String cursor : List.of(
                    "AA",
                    "YQBi",
                    "Cg",
                    "CgoKCg",
                    "%F0%9F%98%80",
                    "MjAyNg",
                    "MjAyNi0wMS0wMVQwMDowMDowMFoKeA",
                    "OTk5OTktMDEtMDFUMDA6MDA6MDBaCng",
                    "LTEK",
                    "x".repeat(5_000))) {
                Answer answer = RingfenceClient.send(
                        request("GET", list + "?cursor=" + cursor, new byte[0]).build());
                // The number 2026: a place in these two.
                boolean ownPosition = cursor.equals("MjAyNg") && list.matches("inbox-consumers|.*/deliveries");
                if (!ownPosition) {
                    problem(list + " after " + cursor, answer, 422, "INVALID_CURSOR", null);
                }
            }
        }
        assertNothingHappened(before);
    }

    /** What the others bend is good as it stands: otherwise they would prove nothing. */
    @Test
    @Tag("SC-3")
    void the_bodies_that_are_bent_are_good() {
        for (Write write : writes()) {
            Answer answer = send(write, JSON, HostileJson.utf8(write.good().toString()));
            assertThat(answer.status()).as(write + answer.text()).isIn(200, 201, 202);
        }
        await("what they began is over, so that the other tests count in peace")
                .atMost(Duration.ofMinutes(1))
                .until(() -> database.number("select count(*) from redactions where status <> 'DONE'") == 0);
    }

    private String path(String template) {
        return template.replace("{app}", app)
                .replace("{tenant}", tenant)
                .replace("{consumer}", consumer)
                .replace("{event}", event)
                .replace("{type}", "order")
                .replace("{operation}", "first")
                .replace("{redaction}", redaction)
                .replace("{id}", id(template))
                .replaceAll("\\{[^}]+}", "00000000-0000-4000-8000-000000000001");
    }

    private String id(String template) {
        if (template.contains("aggregates")) {
            return "first";
        }
        return template.matches(".*/(feed|cursor)") ? reader : subscription;
    }

    private Answer send(Write write, String type, byte[] body) {
        return RingfenceClient.send(request(write, type, body).build());
    }

    private Answer send(String method, String path, Write write, String type, byte[] body) {
        return RingfenceClient.send(
                write(request(method, path, body), write, type, body).build());
    }

    private HttpRequest.Builder request(Write write, String type, byte[] body) {
        return write(request(write.method(), path(write.template()), body), write, type, body);
    }

    private static HttpRequest.Builder write(HttpRequest.Builder request, Write write, String type, byte[] body) {
        if (!type.isEmpty()) {
            request.header("Content-Type", type);
        }
        if (write.method().equals("POST")) {
            request.header("Idempotency-Key", UUID.randomUUID().toString());
        }
        if (write.template().endsWith("/settings")) {
            request.header("If-Match", "\"0\"");
        }
        if (write.signed()) {
            long now = Instant.now().getEpochSecond();
            request.header("webhook-id", "msg_1")
                    .header("webhook-timestamp", Long.toString(now))
                    .header(
                            "webhook-signature",
                            StandardWebhooks.sign(WebhookSecret.parse(SECRET).key(), "msg_1", now, body));
        }
        return request;
    }

    private HttpRequest.Builder request(String method, String path, byte[] body) {
        return HttpRequest.newBuilder(base.resolve("api/v1/" + path))
                .header("Authorization", "Bearer " + HarnessLifecycle.ADMIN_KEY)
                .method(
                        method,
                        body.length == 0 && !method.matches("POST|PUT|PATCH")
                                ? BodyPublishers.noBody()
                                : BodyPublishers.ofByteArray(body));
    }

    private void problem(
            String what, Answer answer, int status, String code, @org.jspecify.annotations.Nullable String pointer) {
        boolean right = answer.status() == status
                && answer.code().equals(code)
                && isProblem(answer)
                && (pointer == null || pointers(answer).anyMatch(pointer::equals));
        if (!right) {
            faults.add(what + " -> " + show(answer) + (pointer == null ? "" : "   expected " + pointer));
        }
    }

    private static Stream<String> pointers(Answer answer) {
        return answer.body()
                .path("errors")
                .valueStream()
                .map(error -> error.path("pointer").asText());
    }

    private static boolean isProblem(Answer answer) {
        JsonNode body = answer.body();
        return answer.header("Content-Type").orElse("").equals("application/problem+json")
                && body.path("status").asInt() == answer.status()
                && Stream.of("type", "title", "code", "detail", "correlationId")
                        .allMatch(field -> body.path(field).isTextual())
                && Stream.of("Exception", "dev.ringfence", "org.jboss", "java.", "SQLSTATE")
                        .noneMatch(answer.text()::contains);
    }

    private static String show(Answer answer) {
        String text = answer.text();
        return answer.status() + " " + answer.header("Content-Type").orElse("(no type)") + " "
                + text.substring(0, Math.min(300, text.length()));
    }

    private void assertNothingHappened(Map<String, Long> before) throws SQLException {
        assertThat(faults).isEmpty();
        assertThat(rows()).isEqualTo(before);
    }

    /** How many rows each table has, but for {@code nodes}, where the running server itself notes that it lives. */
    private Map<String, Long> rows() throws SQLException {
        Map<String, Long> rows = new TreeMap<>();
        try (var connection = database.connect();
                var statement = connection.createStatement()) {
            List<String> tables = new ArrayList<>();
            try (var names = statement.executeQuery(
                    "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                            + " where n.nspname = 'ringfence' and c.relname <> 'nodes'"
                            + " and (c.relkind = 'r' and not c.relispartition or c.relkind = 'p')")) {
                while (names.next()) {
                    tables.add(names.getString(1));
                }
            }
            for (String table : tables) {
                rows.put(table, database.number("select count(*) from ringfence." + table));
            }
        }
        assertThat(rows)
                .containsKeys("apps", "api_keys", "outbox_events", "idempotency_keys", "audit_log", "inbox_events");
        assertThat(Objects.requireNonNull(rows.get("apps"))).isPositive();
        return rows;
    }
}
