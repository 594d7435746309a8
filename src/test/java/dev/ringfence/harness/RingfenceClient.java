package dev.ringfence.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The HTTP API as an integrator calls it: JSON over {@code java.net.http}, one key per client. It knows nothing of the
 * server's classes, so it notices when a name on the wire changes.
 */
public final class RingfenceClient {
    /** Reads and writes the JSON of requests and answers. */
    public static final ObjectMapper JSON = new ObjectMapper();

    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    /**
     * An answer.
     *
     * @param body the JSON body; a missing node where there is none or where it is no JSON
     */
    public record Answer(int status, JsonNode body, String text, HttpResponse<byte[]> raw) {
        /** This answer, where it has the status. */
        public Answer expect(int wanted) {
            if (status != wanted) {
                throw new AssertionError(raw.request().method() + " " + raw.uri() + " answered " + status + ", not "
                        + wanted + ": " + text);
            }
            return this;
        }

        /** The problem's code; empty where the answer is no problem. */
        public String code() {
            return body.path("code").asText("");
        }

        /** First value of a header. */
        public Optional<String> header(String name) {
            return raw.headers().firstValue(name);
        }
    }

    private final URI api;
    private final String key;

    /**
     * A client of one key.
     *
     * @param api base of the API with a slash at the end
     * @param key secret of the API key; sends none where this is empty
     */
    public RingfenceClient(URI api, String key) {
        this.api = api;
        this.key = key;
    }

    /** A client of the same server with another key. */
    public RingfenceClient as(String otherKey) {
        return new RingfenceClient(api, otherKey);
    }

    /** Base of the API, with a slash at the end. */
    public URI api() {
        return api;
    }

    /** Registers an app and returns its id. */
    public String createApp(String name) {
        return post("apps", object().put("name", name))
                .expect(201)
                .body()
                .path("id")
                .asText();
    }

    /** Issues a key and returns its secret. */
    public String createKey(String app, String name, String... roles) {
        ObjectNode request = object().put("name", name);
        List.of(roles).forEach(request.putArray("roles")::add);
        return post("apps/" + app + "/keys", request)
                .expect(201)
                .body()
                .path("secret")
                .asText();
    }

    /** Enrols a tenant and returns the epoch. */
    public String enrol(String app, String tenant) {
        ObjectNode request = object();
        request.putObject("session")
                .put("id", "session-" + tenant)
                .put(
                        "authenticatedAt",
                        Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
        return post("apps/" + app + "/tenants/" + tenant + "/enrolment", request)
                .expect(200)
                .body()
                .path("epoch")
                .asText();
    }

    /** Records events under the epoch. */
    public Answer record(String app, String tenant, String epoch, List<? extends JsonNode> events) {
        ObjectNode request = object().put("epoch", epoch);
        request.putArray("events").addAll(events);
        return post("apps/" + app + "/tenants/" + tenant + "/events", request);
    }

    /** GET; the path is relative to the API's base. */
    public Answer get(String path) {
        return send("GET", path, null);
    }

    /** POST of a JSON body with a fresh {@code Idempotency-Key}. */
    public Answer post(String path, JsonNode body) {
        return send("POST", path, body);
    }

    /** PUT of a JSON body. */
    public Answer put(String path, JsonNode body) {
        return send("PUT", path, body);
    }

    /** PATCH with a JSON body. */
    public Answer patch(String path, JsonNode body) {
        return send("PATCH", path, body);
    }

    /** DELETE. */
    public Answer delete(String path) {
        return send("DELETE", path, null);
    }

    private Answer send(String method, String path, @org.jspecify.annotations.Nullable JsonNode body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(api.resolve(path))
                .timeout(Duration.ofSeconds(30))
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body.toString()));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (method.equals("POST")) {
            request.header("Idempotency-Key", UUID.randomUUID().toString());
        }
        if (!key.isEmpty()) {
            request.header("Authorization", "Bearer " + key);
        }
        return send(request.build());
    }

    /** Sends a request made by the caller, for what the methods above do not do. */
    public static Answer send(HttpRequest request) {
        try {
            HttpResponse<byte[]> response = HTTP.send(request, HttpResponse.BodyHandlers.ofByteArray());
            String text = new String(response.body(), java.nio.charset.StandardCharsets.UTF_8);
            return new Answer(response.statusCode(), parse(text), text, response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static JsonNode parse(String text) {
        try {
            return text.isBlank() ? MissingNode.getInstance() : JSON.readTree(text);
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }

    /** A new JSON object. */
    public static ObjectNode object() {
        return JSON.createObjectNode();
    }

    /** An event as a shop submits it, an occurrence of its own. */
    public static ObjectNode orderPlaced(int number) {
        ObjectNode event = object().put("name", "shop.order.placed.v1")
                .put("aggregateType", "order")
                .put("aggregateId", "order-" + number)
                .put("occurredAt", "2026-11-01T10:00:00.000Z")
                .put("occurrenceKey", UUID.randomUUID().toString());
        event.putObject("actor").put("type", "system");
        event.putObject("payload").put("number", number);
        return event;
    }
}
