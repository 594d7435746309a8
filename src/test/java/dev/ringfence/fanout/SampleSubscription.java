package dev.ringfence.fanout;

import dev.ringfence.subscription.AccessTerms;
import dev.ringfence.subscription.CircuitRules;
import dev.ringfence.subscription.CircuitState;
import dev.ringfence.subscription.DeliveryRules;
import dev.ringfence.subscription.Destination;
import dev.ringfence.subscription.EnvelopeTemplate;
import dev.ringfence.subscription.EventFilter;
import dev.ringfence.subscription.EventTypeFilter;
import dev.ringfence.subscription.Grants;
import dev.ringfence.subscription.Intake;
import dev.ringfence.subscription.MatchFilter;
import dev.ringfence.subscription.Mode;
import dev.ringfence.subscription.OrderRules;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.subscription.Semantics;
import dev.ringfence.subscription.Subscription;
import dev.ringfence.subscription.SubscriptionStatus;
import dev.ringfence.transport.AckProfile;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A subscription that takes everything. */
final class SampleSubscription {

    private SampleSubscription() {}

    static Subscription activeSince(Instant createdAt) {
        return active(createdAt, 0);
    }

    static Subscription active(Instant createdAt, long createdOrdinal) {
        return active(createdAt, createdOrdinal, null);
    }

    static Subscription active(Instant createdAt, long createdOrdinal, EnvelopeTemplate template) {
        return new Subscription(
                UUID.randomUUID(),
                UUID.randomUUID(),
                1,
                "all",
                new Destination(
                        Mode.PUSH,
                        "https://hooks.example.test/",
                        Map.of(),
                        AckProfile.STATUS,
                        Duration.ofSeconds(2),
                        template,
                        AccessTerms.NONE),
                new EventFilter(new EventTypeFilter(List.of()), MatchFilter.ALL),
                List.of(),
                new DeliveryRules(
                        Semantics.AT_LEAST_ONCE,
                        new RetryPolicy(List.of(), 0, 1),
                        List.of(),
                        1,
                        null,
                        CircuitRules.DEFAULT,
                        OrderRules.NONE,
                        1),
                new Grants(List.of("*")),
                SubscriptionStatus.ACTIVE,
                null,
                0,
                CircuitState.CLOSED,
                createdAt,
                Intake.from(createdOrdinal));
    }
}
