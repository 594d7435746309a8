package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.subscription.AccessTerms;
import dev.ringfence.subscription.CircuitRules;
import dev.ringfence.subscription.CircuitState;
import dev.ringfence.subscription.DeliveryRules;
import dev.ringfence.subscription.Destination;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PreflightTest {
    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");
    private static final Duration MAX_AGE = Duration.ofHours(24);

    private static Candidate candidate(boolean appEnabled, int attempts) {
        return new Candidate(
                1,
                1,
                new FenceKey(1),
                appEnabled,
                UUID.randomUUID(),
                1L,
                1,
                attempts,
                START,
                "order.order.placed.v1",
                null,
                1_000,
                false);
    }

    private static Subscription subscription(SubscriptionStatus status, String... grants) {
        return new Subscription(
                UUID.randomUUID(),
                UUID.randomUUID(),
                1,
                "hook",
                new Destination(
                        Mode.PUSH,
                        "http://example.test/",
                        Map.of(),
                        AckProfile.STATUS,
                        Duration.ofSeconds(2),
                        null,
                        AccessTerms.NONE),
                new EventFilter(new EventTypeFilter(List.of()), new MatchFilter(JsonNodeFactory.instance.arrayNode())),
                List.of(),
                new DeliveryRules(
                        Semantics.AT_LEAST_ONCE,
                        new RetryPolicy(List.of(60), 0, 2),
                        List.of(),
                        10,
                        null,
                        CircuitRules.DEFAULT,
                        OrderRules.NONE,
                        10),
                new Grants(List.of(grants)),
                status,
                null,
                0,
                CircuitState.CLOSED,
                START,
                Intake.from(0));
    }

    private static String judge(Candidate candidate, Subscription subscription, Duration age) {
        return Preflight.judge(candidate, subscription, START.plus(age), MAX_AGE, 6)
                .map(c -> c.state().text() + " " + c.code())
                .orElse("go");
    }

    private static final Duration YOUNG = Duration.ofMinutes(1);

    @Test
    @Tag("SB-5")
    void lost_consent_or_configuration_fails_a_delivery_at_once() {
        Candidate fine = candidate(true, 0);

        assertThat(judge(fine, subscription(SubscriptionStatus.ACTIVE, "*"), YOUNG))
                .isEqualTo("go");
        assertThat(judge(fine, subscription(SubscriptionStatus.ACTIVE, "order.*"), YOUNG))
                .isEqualTo("go");
        assertThat(judge(fine, subscription(SubscriptionStatus.ACTIVE, "invoice.*"), YOUNG))
                .isEqualTo("failed ACCESS_ABSENT");
        assertThat(judge(fine, subscription(SubscriptionStatus.ACTIVE), YOUNG)).isEqualTo("failed ACCESS_ABSENT");
        assertThat(judge(fine, subscription(SubscriptionStatus.DISABLED, "*"), YOUNG))
                .isEqualTo("failed SUBSCRIPTION_DISABLED");
        assertThat(judge(fine, null, YOUNG)).isEqualTo("failed SUBSCRIPTION_GONE");
        assertThat(judge(candidate(false, 0), subscription(SubscriptionStatus.ACTIVE, "*"), YOUNG))
                .isEqualTo("failed APP_DISABLED");
    }

    @Test
    @Tag("AT-5")
    @Tag("AT-6")
    void what_is_too_old_or_used_up_ends_without_a_request() {
        Subscription active = subscription(SubscriptionStatus.ACTIVE, "*");

        assertThat(judge(candidate(true, 0), active, MAX_AGE.minusMillis(1))).isEqualTo("go");
        assertThat(judge(candidate(true, 0), active, MAX_AGE)).isEqualTo("dead EXPIRED");
        assertThat(judge(candidate(true, 5), active, YOUNG)).isEqualTo("go");
        assertThat(judge(candidate(true, 6), active, YOUNG)).isEqualTo("dead EXHAUSTED");
    }
}
