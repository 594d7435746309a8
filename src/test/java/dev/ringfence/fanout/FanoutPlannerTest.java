package dev.ringfence.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.fence.FenceKey;
import dev.ringfence.lifecycle.Phase;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.outbox.OutboxStatus;
import dev.ringfence.subscription.SampleTemplate;
import dev.ringfence.subscription.Subscription;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FanoutPlannerTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
    private static final UUID APP = UUID.randomUUID();
    private static final UUID EPOCH = UUID.randomUUID();
    private static final FenceKey FENCE = new FenceKey(7);

    private static ClaimedEvent event(long ordinal, int attempt) {
        return new ClaimedEvent(
                ordinal,
                NOW,
                1,
                APP,
                EPOCH,
                FENCE,
                "evt_" + ordinal,
                "order.order.placed.v1",
                new byte[32],
                512,
                attempt,
                false,
                null);
    }

    private static TenantLifecycle tenant(UUID epoch, Phase phase, boolean appEnabled) {
        return new TenantLifecycle(
                1, APP, "shop", FENCE, epoch, phase, null, NOW, 0, 0, null, null, true, appEnabled, Duration.ZERO);
    }

    private static Situation situation(
            Set<FenceKey> granted, TenantLifecycle tenant, List<Subscription> subscriptions) {
        return new Situation(granted, Map.of(1L, tenant), new Audience(Map.of(1L, subscriptions)), Envelopes.NONE);
    }

    private static OutboxMove onlyMove(Situation situation) {
        return FanoutPlanner.plan(List.of(event(1, 3)), situation, NOW).moves().get(0);
    }

    @Test
    @Tag("OB-2")
    void aTakenFenceCostsNoAttempt() {
        OutboxMove move = onlyMove(situation(Set.of(), tenant(EPOCH, Phase.ACTIVE, true), List.of()));
        assertThat(move.status()).isEqualTo(OutboxStatus.FAILED_RETRYABLE);
        assertThat(move.attempts()).isEqualTo(2);
        assertThat(move.availableAt()).isAfter(NOW);
    }

    @Test
    @Tag("FN-4")
    void phaseComesBeforeEpochBeforeApp() {
        UUID newer = UUID.randomUUID();
        assertThat(onlyMove(situation(Set.of(FENCE), tenant(newer, Phase.REDACTED, false), List.of()))
                        .code())
                .isEqualTo(FanoutCode.TENANT_REDACTED);
        assertThat(onlyMove(situation(Set.of(FENCE), tenant(newer, Phase.ACTIVE, false), List.of()))
                        .code())
                .isEqualTo(FanoutCode.STALE_EPOCH);
        assertThat(onlyMove(situation(Set.of(FENCE), tenant(EPOCH, Phase.ACTIVE, false), List.of()))
                        .code())
                .isEqualTo(FanoutCode.APP_DISABLED);
        assertThat(onlyMove(situation(Set.of(FENCE), tenant(EPOCH, Phase.ACTIVE, true), List.of()))
                        .status())
                .isEqualTo(OutboxStatus.PUBLISHED);
    }

    @Test
    @Tag("OB-3")
    void aFullPlanLeavesTheRestForAnotherTransaction() {
        List<Subscription> hundred = Collections.nCopies(100, SampleSubscription.activeSince(NOW));
        List<ClaimedEvent> events =
                LongStream.rangeClosed(1, 250).mapToObj(n -> event(n, 1)).toList();
        FanoutPlan plan =
                FanoutPlanner.plan(events, situation(Set.of(FENCE), tenant(EPOCH, Phase.ACTIVE, true), hundred), NOW);
        assertThat(plan.deliveries()).hasSize(FanoutPlanner.FULL);
        assertThat(plan.moves()).hasSize(100);
        assertThat(plan.rest()).hasSize(150).startsWith(events.get(100));
    }

    private static Situation templates(int subscriptions, String template, String envelope, int events) {
        Subscription one = SampleSubscription.active(NOW, 0, SampleTemplate.of(template));
        Map<Long, byte[]> bodies = new HashMap<>();
        LongStream.rangeClosed(1, events).forEach(n -> bodies.put(n, envelope.getBytes(StandardCharsets.UTF_8)));
        return new Situation(
                Set.of(FENCE),
                Map.of(1L, tenant(EPOCH, Phase.ACTIVE, true)),
                new Audience(Map.of(1L, Collections.nCopies(subscriptions, one))),
                new Envelopes(bodies, Set.of()));
    }

    @Test
    @Tag("SB-1")
    void aPlanIsFullAlsoByTheBytesOfItsBodies() {
        List<ClaimedEvent> events =
                LongStream.rangeClosed(1, 50).mapToObj(n -> event(n, 1)).toList();
        Situation situation = templates(80, "[\"" + "x".repeat(16_000) + "\"]", "{}", 50);
        FanoutPlan plan = FanoutPlanner.plan(events, situation, NOW);
        assertThat(plan.moves()).hasSize(14);
        assertThat(plan.rest()).startsWith(events.get(14));
        assertThat(plan.deliveries()).hasSize(14 * 80).allMatch(delivery -> delivery.fate() == Fate.SEND);
    }

    @Test
    @Tag("SB-1")
    void theBodiesOfOneEventAreBoundedAllTogether() {
        String envelope = "{\"payload\":\"" + "x".repeat(1 << 20) + "\"}";
        Situation situation = templates(70, "[\"{{payload}}\"]", envelope, 1);
        FanoutPlan plan = FanoutPlanner.plan(List.of(event(1, 1)), situation, NOW);
        assertThat(plan.published()).isEqualTo(1);
        assertThat(plan.queued()).isEqualTo(64);
        assertThat(plan.deliveries().subList(64, 70)).allMatch(delivery -> delivery.fate() == Fate.OVERSIZE);
    }

    /** The node that subscribed may be ahead of the one that records, or behind it. */
    @Test
    @Tag("SB-3")
    void theOrderOfNumbersDecidesWhatASubscriptionTakesAndNoClock() {
        Subscription ahead = SampleSubscription.active(NOW.plusSeconds(60), 10);
        Subscription behind = SampleSubscription.active(NOW.minusSeconds(60), 12);
        Situation situation = situation(Set.of(FENCE), tenant(EPOCH, Phase.ACTIVE, true), List.of(ahead, behind));

        FanoutPlan plan = FanoutPlanner.plan(List.of(event(9, 1), event(11, 1), event(13, 1)), situation, NOW);

        assertThat(plan.deliveries())
                .extracting(planned -> planned.event().ordinal() + " " + planned.subscriptionId())
                .containsExactly("11 " + ahead.id(), "13 " + ahead.id(), "13 " + behind.id());
        assertThat(plan.moves()).hasSize(3);
    }

    @Test
    @Tag("OB-2")
    void failuresBackOffToACeiling() {
        assertThat(FanoutBackoff.afterFailure(event(1, 1), NOW).availableAt()).isEqualTo(NOW.plusSeconds(1));
        assertThat(FanoutBackoff.afterFailure(event(1, 4), NOW).availableAt()).isEqualTo(NOW.plusSeconds(8));
        assertThat(FanoutBackoff.afterFailure(event(1, 9), NOW).availableAt()).isEqualTo(NOW.plusSeconds(256));
        assertThat(FanoutBackoff.afterFailure(event(1, 10), NOW).status()).isEqualTo(OutboxStatus.DEAD_LETTERED);
    }
}
