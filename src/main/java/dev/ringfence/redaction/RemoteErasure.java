package dev.ringfence.redaction;

import dev.ringfence.apps.ErasureEndpoint;
import dev.ringfence.apps.ErasureEndpoints;
import dev.ringfence.json.StrictJson;
import dev.ringfence.security.SecretUnreadable;
import dev.ringfence.signing.StandardWebhooks;
import dev.ringfence.time.Instants;
import dev.ringfence.time.NanoClock;
import dev.ringfence.transport.AckProfile;
import dev.ringfence.transport.HttpTransport;
import dev.ringfence.transport.Outbound;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.SendResult;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Stage REMOTE_ERASE: asks the application's own endpoint to erase the tenant, by a signed POST, repeated until it is accepted (2xx) or
 * given up. The receiver sees the redaction's id each time, so a repeat is no new request to it. No transaction is open meanwhile.
 */
@ApplicationScoped
public class RemoteErasure {
    /** Then the redaction has failed, until somebody requests it again. */
    static final int MOST_ATTEMPTS = 20;

    private static final Duration TIMEOUT = Duration.ofSeconds(8);
    private static final Duration SEND_WINDOW = Duration.ofSeconds(4);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String NO_ANSWER = "NO_ANSWER";
    private static final String SECRET_UNREADABLE = "SECRET_UNREADABLE";

    private final ErasureEndpoints endpoints;
    private final RedactionSteps steps;
    private final HttpTransport transport;
    private final Clock clock;
    private final NanoClock nanos;

    @Inject
    public RemoteErasure(
            ErasureEndpoints endpoints, RedactionSteps steps, HttpTransport transport, Clock clock, NanoClock nanos) {
        this.endpoints = endpoints;
        this.steps = steps;
        this.transport = transport;
        this.clock = clock;
        this.nanos = nanos;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    RemoteErasure() {
        this(null, null, null, null, null);
    }

    /** One try. */
    Step ask(Claim claim, Redaction redaction) {
        if (!steps.begin(claim, StageName.REMOTE_ERASE)) {
            return new Step.Lost();
        }
        if (!redaction.remoteErasure()) {
            return ended(claim, StageStatus.SKIPPED, "NOT_REQUESTED");
        }
        Optional<ErasureEndpoint> endpoint;
        try {
            endpoint = endpoints.of(redaction.appId());
        } catch (SecretUnreadable e) {
            // No repetition cures it, so it counts: who asked must see that nobody is told.
            return refused(claim, redaction, SECRET_UNREADABLE);
        }
        if (endpoint.isEmpty()) {
            return ended(claim, StageStatus.SKIPPED, "NOT_CONFIGURED");
        }
        String code = post(endpoint.get(), redaction);
        return code == null ? ended(claim, StageStatus.DONE, null) : refused(claim, redaction, code);
    }

    private Step refused(Claim claim, Redaction redaction, String code) {
        int attempts = redaction.next().map(Stage::attempts).orElse(0) + 1;
        return attempts % MOST_ATTEMPTS == 0
                ? ended(claim, StageStatus.FAILED, code)
                : new Step.Later(code, Pauses.after(attempts));
    }

    private Step ended(Claim claim, StageStatus status, @Nullable String code) {
        if (!steps.end(claim, StageName.REMOTE_ERASE, status, code)) {
            return new Step.Lost();
        }
        return status == StageStatus.FAILED ? new Step.Ended() : new Step.Advanced();
    }

    /** Null where the request was accepted, else why not. */
    private @Nullable String post(ErasureEndpoint endpoint, Redaction redaction) {
        try {
            return refusal(
                    transport.send(request(endpoint, redaction)).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        } catch (IllegalArgumentException unsendable) {
            return OutcomeCode.DESTINATION_NOT_ALLOWED.name();
        } catch (ExecutionException | TimeoutException unknown) {
            return NO_ANSWER;
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return NO_ANSWER;
        }
    }

    private Outbound request(ErasureEndpoint endpoint, Redaction redaction) {
        byte[] body = body(redaction);
        String id = "red_" + redaction.id();
        long seconds = clock.instant().getEpochSecond();
        Map<String, String> headers = Map.of(
                "webhook-id", id,
                "webhook-timestamp", Long.toString(seconds),
                "webhook-signature", StandardWebhooks.sign(endpoint.key(), id, seconds, body));
        return new Outbound(
                URI.create(endpoint.url()),
                headers,
                body,
                TIMEOUT,
                nanos.nanos() + SEND_WINDOW.toNanos(),
                AckProfile.STATUS);
    }

    private static byte[] body(Redaction redaction) {
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.put("appId", redaction.appId());
        document.put("tenant", redaction.tenant());
        document.put("epoch", redaction.epochBefore());
        Instant boundary = redaction.boundary();
        document.put("boundary", boundary == null ? null : Instants.format(boundary));
        document.put("redactionId", redaction.id());
        return StrictJson.write(document);
    }

    private static @Nullable String refusal(SendResult result) {
        if (result instanceof SendResult.Acknowledged) {
            return null;
        }
        if (result instanceof SendResult.Failed failed) {
            return failed.code().name();
        }
        if (result instanceof SendResult.Uncertain uncertain) {
            return uncertain.code().name();
        }
        if (result instanceof SendResult.NotSent notSent) {
            return notSent.code().name();
        }
        return result instanceof SendResult.Forbidden ? OutcomeCode.DESTINATION_NOT_ALLOWED.name() : NO_ANSWER;
    }
}
