package dev.ringfence.inbox;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The answer to a delivery (HT-2, profile {@code RECEIPT}).
 *
 * @param stored events that were new
 * @param deduped events that were known already
 * @param results one per event, in the order they came
 */
record Acknowledgement(boolean ok, long stored, long deduped, String scope, List<Result> results) {

    private static final String SCOPE = "app";

    /**
     * What became of one event.
     *
     * @param id the receipt's number in decimal digits; for a duplicate that of the first time
     */
    record Result(String appId, String scope, String id) {}

    /**
     * @param events the events of the request
     * @param fresh the receipts made now, by event id
     * @param known the receipts made earlier, by event id
     */
    static Acknowledgement of(List<InboxEvent> events, Map<String, Long> fresh, Map<String, Long> known) {
        Map<String, Long> ids = new HashMap<>(known);
        ids.putAll(fresh);
        List<Result> results = new ArrayList<>();
        for (InboxEvent event : events) {
            Long id = ids.get(event.eventId());
            if (id == null) {
                throw new IllegalStateException("no receipt of an event that was just stored");
            }
            results.add(new Result(event.appId(), SCOPE, Long.toString(id)));
        }
        return new Acknowledgement(true, fresh.size(), (long) events.size() - fresh.size(), SCOPE, results);
    }
}
