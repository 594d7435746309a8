package dev.ringfence.fanout;

import dev.ringfence.subscription.Subscription;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The subscriptions of a publish transaction's tenants, by what they take. A batch has few event types and many events, so each type list
 * is asked once, not for every event.
 */
final class Audience {
    private final Map<Long, List<Subscription>> subscriptions;
    private final Map<Topic, List<Subscription>> byTopic = new HashMap<>();

    private record Topic(long tenantId, String eventName) {}

    /** @param subscriptions those of each tenant that may take an event */
    Audience(Map<Long, List<Subscription>> subscriptions) {
        this.subscriptions = subscriptions;
    }

    /** Whom the event concerns: its type is in their list, and they take events of its age. */
    List<Subscription> of(ClaimedEvent event) {
        List<Subscription> interested =
                byTopic.computeIfAbsent(new Topic(event.tenantId(), event.eventName()), this::interested);
        for (Subscription subscription : interested) {
            if (!subscription.takesEvent(event.ordinal())) {
                return interested.stream()
                        .filter(one -> one.takesEvent(event.ordinal()))
                        .toList();
            }
        }
        return interested;
    }

    /** Those of the event's tenant that were read: whoever takes one of the batch's types, and all that keep an order. */
    List<Subscription> near(ClaimedEvent event) {
        return subscriptions.getOrDefault(event.tenantId(), List.of());
    }

    private List<Subscription> interested(Topic topic) {
        return subscriptions.getOrDefault(topic.tenantId(), List.of()).stream()
                .filter(subscription -> subscription.filter().types().accepts(topic.eventName()))
                .toList();
    }
}
