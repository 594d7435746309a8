package dev.ringfence.inbox;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Takes events in, each once per consumer (IN-1). */
@ApplicationScoped
public class Inbox {

    @Inject
    InboxRepository receipts;

    @Inject
    @Any
    Instance<InboxHandler> handlers;

    /**
     * Stores the receipts of new events and has the consumer's handlers apply them, all in one transaction; events that
     * are known already change nothing and are acknowledged again.
     */
    @Transactional
    Acknowledgement accept(String consumer, List<InboxEvent> events, Instant receivedAt) {
        Map<String, InboxEvent> distinct = new LinkedHashMap<>();
        events.forEach(event -> distinct.putIfAbsent(event.eventId(), event));
        Map<String, Long> fresh = receipts.insert(consumer, distinct.values(), receivedAt);
        distinct.values().stream()
                .filter(event -> fresh.containsKey(event.eventId()))
                .forEach(this::handle);
        List<String> others =
                distinct.keySet().stream().filter(id -> !fresh.containsKey(id)).toList();
        return Acknowledgement.of(events, fresh, receipts.find(consumer, others));
    }

    private void handle(InboxEvent event) {
        for (InboxHandler handler : handlers) {
            if (handler.consumer().equals(event.consumer())) {
                handler.handle(event);
            }
        }
    }
}
