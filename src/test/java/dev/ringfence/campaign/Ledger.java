package dev.ringfence.campaign;

import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the database says of each delivery, held against what the receiver saw. */
final class Ledger {
    /** A delivery with the number of its attempts that count. */
    record Entry(
            long id, String messageId, String state, int cycleAttempts, int counted, int rows, byte[] bodySha256) {}

    private final Map<String, Entry> byMessage = new HashMap<>();

    private Ledger() {}

    static Ledger read(TestDatabase database, String app) throws SQLException {
        Ledger ledger = new Ledger();
        try (Connection c = database.connect();
                PreparedStatement s = c.prepareStatement("""
                        select d.id, d.message_id, d.state, d.cycle_attempts,
                               count(a.*) filter (where a.counted), count(a.*), coalesce(d.body_sha256, e.payload_sha256)
                        from deliveries d
                        join outbox_events e on e.ordinal = d.event_ordinal and e.recorded_at = d.event_recorded_at
                        left join delivery_attempts a on a.delivery_id = d.id
                        where d.app_id = ?::uuid
                        group by d.id, d.message_id, d.state, d.cycle_attempts, coalesce(d.body_sha256, e.payload_sha256)
                        """)) {
            s.setString(1, app);
            ResultSet r = s.executeQuery();
            while (r.next()) {
                Entry entry = new Entry(
                        r.getLong(1),
                        r.getString(2),
                        r.getString(3),
                        r.getInt(4),
                        r.getInt(5),
                        r.getInt(6),
                        r.getBytes(7));
                ledger.byMessage.put(entry.messageId(), entry);
            }
        }
        return ledger;
    }

    int size() {
        return byMessage.size();
    }

    long count(String state) {
        return byMessage.values().stream().filter(e -> e.state().equals(state)).count();
    }

    long reservations() {
        return byMessage.values().stream().mapToLong(Entry::counted).sum();
    }

    /**
     * Every way in which receiver and ledger may contradict each other; empty where they agree. {@code maxAttempts} is the ceiling
     * of a cycle.
     */
    List<String> contradictions(List<TestReceiver.Request> requests, int maxAttempts) {
        List<String> found = new ArrayList<>();
        Map<String, List<TestReceiver.Request>> seen = new HashMap<>();
        for (TestReceiver.Request request : requests) {
            seen.computeIfAbsent(request.header("webhook-id"), k -> new ArrayList<>())
                    .add(request);
        }
        seen.keySet().stream()
                .filter(id -> !byMessage.containsKey(id))
                .forEach(id -> found.add("sent but not in the ledger: " + id));
        byMessage.forEach((id, entry) -> check(entry, seen.getOrDefault(id, List.of()), maxAttempts, found));
        return found;
    }

    private static void check(Entry entry, List<TestReceiver.Request> requests, int maxAttempts, List<String> found) {
        if (requests.size() > entry.counted()) found.add(requests.size() + " requests on " + entry);
        if (entry.counted() > maxAttempts) found.add("more than " + maxAttempts + " reservations: " + entry);
        if (entry.state().equals("delivered") && requests.isEmpty()) found.add("delivered without a request: " + entry);
        if (entry.state().equals("dead") && entry.cycleAttempts() != maxAttempts) found.add("dead too early: " + entry);
        if (!entry.state().equals("delivered") && !entry.state().equals("dead")) found.add("not ended: " + entry);
        for (TestReceiver.Request request : requests) {
            if (!Arrays.equals(sha256(request.body()), entry.bodySha256()))
                found.add("other bytes than stored: " + entry);
        }
    }

    private static byte[] sha256(byte[] body) {
        try {
            return java.security.MessageDigest.getInstance("SHA-256").digest(body);
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
