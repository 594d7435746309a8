package dev.ringfence.campaign;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** A tenant that is recorded for, redacted and enrolled again, all at once. What is known of its epoch may be old: that is the point. */
final class RaceTenant {
    private static final String WIDE = "race.item.wide.v1";
    private static final String NARROW = "race.item.narrow.v1";

    final String app;
    final String name;
    private final RaceReceiver receiver;
    private volatile String epoch = "";
    private volatile boolean settled;

    RaceTenant(String app, String name, RaceReceiver receiver) {
        this.app = app;
        this.name = name;
        this.receiver = receiver;
    }

    /** The epoch that the last enrolment gave; empty before the first. */
    String epoch() {
        return epoch;
    }

    /** Whether it is enrolled with its subscriptions, as far as this side knows. */
    boolean isSettled() {
        return settled;
    }

    /** Enrols, unless that is done. */
    String settle(RingfenceClient node) {
        if (settled) {
            return "";
        }
        ObjectNode request = RingfenceClient.object();
        request.putObject("session")
                .put("id", "session-" + name)
                .put(
                        "authenticatedAt",
                        Instant.now().truncatedTo(ChronoUnit.MICROS).toString());
        Answer answer = node.post(path("/enrolment"), request);
        if (answer.status() == 200) {
            String given = answer.body().path("epoch").asText();
            settled = true;
            if (!given.equals(epoch)) {
                epoch = given;
                settled = subscribe(node, "wide", WIDE, receiver.wideUrl().toString())
                        && subscribe(
                                node, "narrow", NARROW, receiver.narrowUrl().toString());
            }
        }
        return "enrol " + answer.status() + " " + answer.code();
    }

    private boolean subscribe(RingfenceClient node, String label, String type, String url) {
        ObjectNode subscription = RingfenceClient.object()
                .put("name", label)
                .put("mode", "PUSH")
                .put("url", url)
                .put("timeoutMs", label.equals("wide") ? 2_000 : 10_000);
        subscription.putArray("eventTypes").add(type);
        return node.post(path("/subscriptions"), subscription).status() == 201;
    }

    String redact(RingfenceClient node) {
        Answer answer = node.post(path("/redactions"), RingfenceClient.object().put("reason", "race"));
        settled = false;
        return "redact " + answer.status() + " " + answer.code();
    }

    String record(RingfenceClient node, Random dice) {
        String mine = epoch;
        if (mine.isEmpty()) {
            return "";
        }
        List<JsonNode> events = new ArrayList<>();
        int count = 1 + dice.nextInt(4);
        for (int i = 0; i < count; i++) {
            events.add(event(mine, dice));
        }
        Answer answer = node.record(app, name, mine, events);
        return "record " + answer.status() + " " + answer.code();
    }

    /** The body says whose it is and of which epoch, so that the receiver's log does too. */
    ObjectNode event(String mine, Random dice) {
        ObjectNode event = RingfenceClient.object()
                .put("name", dice.nextInt(3) == 0 ? NARROW : WIDE)
                .put("aggregateType", "item")
                .put("aggregateId", "item-1")
                .put("occurredAt", "2026-11-01T10:00:00.000Z")
                .put("occurrenceKey", UUID.randomUUID().toString());
        event.putObject("actor").put("type", "system");
        event.putObject("payload").put("raceTenant", name).put("raceEpoch", mine);
        return event;
    }

    private String path(String rest) {
        return "apps/" + app + "/tenants/" + name + rest;
    }
}
