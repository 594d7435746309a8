package dev.ringfence.campaign;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;

/** One application with one tenant, a number of subscriptions at one receiver, and events that are recorded through whatever happens. */
final class Campaign {
    static final String ADMIN = "campaign-admin-key-0123456789-0123456789";
    private static final String SECRETS_KEY = "Y2FtcGFpZ24tc2VjcmV0cy1rZXktMDEyMzQ1Njc4OTA=";
    /** In every payload: what not every encoding can say. */
    static final String NOTE = "naïve – “quoted”";

    private static final String TENANT = "shop-1";

    private final RingfenceClient admin;
    final String app;
    private final String epoch;

    private Campaign(RingfenceClient admin, String app, String epoch) {
        this.admin = admin;
        this.app = app;
        this.epoch = epoch;
    }

    /** A node with waits of one to two seconds and a short lease, so that a campaign takes minutes and not a day. */
    static ServerProcess.Builder node(String name, TestDatabase database) {
        return ServerProcess.named(name)
                .database(database)
                .config("ringfence.bootstrap.admin-key", ADMIN)
                .config("ringfence.secrets.key", SECRETS_KEY)
                .config("ringfence.egress.allow", "127.0.0.0/8")
                .config("ringfence.delivery.waits", "1,1,1,2,2")
                .config("ringfence.delivery.reconcile-grace-ms", "1500")
                .config("ringfence.node", name);
    }

    /** Registers everything at a node that runs. */
    static Campaign on(ServerProcess node, TestReceiver receiver, int subscriptions, ObjectNode more) {
        RingfenceClient admin = new RingfenceClient(node.api(), ADMIN);
        String app = admin.createApp("campaign");
        String epoch = admin.enrol(app, TENANT);
        Campaign campaign = new Campaign(admin, app, epoch);
        for (int i = 0; i < subscriptions; i++) {
            campaign.subscribe(i, receiver.url("/hook/" + i), more);
        }
        return campaign;
    }

    /** One more subscription, for the events that {@link #event} gives to the one of this number. */
    void subscribe(int number, URI url, ObjectNode more) {
        ObjectNode subscription = RingfenceClient.object()
                .put("name", "endpoint-" + number)
                .put("mode", "PUSH")
                .put("url", url.toString());
        subscription.putArray("eventTypes").add("orders.order.placed_" + number + ".v1");
        subscription.setAll(more);
        admin.post("apps/" + app + "/tenants/" + TENANT + "/subscriptions", subscription)
                .expect(201);
    }

    /** An event of its own occurrence, for the subscription {@code number mod subscriptions}. */
    static ObjectNode event(int number, int subscriptions) {
        ObjectNode event = RingfenceClient.object()
                .put("name", "orders.order.placed_" + number % subscriptions + ".v1")
                .put("aggregateType", "order")
                .put("aggregateId", "order-" + number)
                .put("occurredAt", "2026-11-01T10:00:00.000Z")
                .put("occurrenceKey", "occurrence-" + number);
        event.putObject("actor").put("type", "system");
        event.putObject("payload").put("number", number).put("note", NOTE + " \u001b[31m");
        return event;
    }

    /**
     * Records events in batches of 50, the way an honest client does: an answer that never came is asked for again until the
     * server is back, which on a busy machine may be as long as a start is waited for. The occurrence keys make the repeat harmless.
     */
    void record(int from, int to, int subscriptions) {
        for (int first = from; first < to; first += 50) {
            List<JsonNode> events = new ArrayList<>();
            for (int n = first; n < Math.min(first + 50, to); n++) events.add(event(n, subscriptions));
            recordUntilAnswered(events);
        }
    }

    private void recordUntilAnswered(List<JsonNode> events) {
        AtomicReference<Answer> answer = new AtomicReference<>();
        Awaitility.await("the server records")
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(100))
                .atMost(Duration.ofMinutes(6))
                .until(() -> {
                    try {
                        answer.set(admin.record(app, TENANT, epoch, events));
                        int status = answer.get().status();
                        // Starting up, it may refuse for want of a measured clock or of the deployment itself.
                        return status != 503 && status != 404;
                    } catch (UncheckedIOException e) {
                        return false;
                    }
                });
        answer.get().expect(202);
    }

    /** Waits until each of this application's recorded events has been fanned out and no delivery waits any more. */
    void awaitQuiet(TestDatabase database, long events, Duration limit) {
        String mine = " and app_id = '" + app + "'";
        Awaitility.await("all deliveries ended")
                .pollInterval(Duration.ofMillis(250))
                .atMost(limit)
                .until(() -> database.number("select count(*) from outbox_events where status = 'PUBLISHED'" + mine)
                                == events
                        && database.number(
                                        "select count(*) from deliveries where state in ('pending', 'retrying')" + mine)
                                == 0);
    }
}
