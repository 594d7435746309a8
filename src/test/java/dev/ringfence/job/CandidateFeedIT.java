package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.time.ClockProducer;
import dev.ringfence.time.NanoClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the feed hands out together, against PostgreSQL. Nothing here is reserved, so what is given back is due again. */
class CandidateFeedIT {
    private static final Duration AMPLE = Duration.ofMinutes(1);
    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final int SLOTS = 300;

    private final AtomicLong ahead = new AtomicLong();
    private final NanoClock nanos = new NanoClock() {
        @Override
        public long nanos() {
            return super.nanos() + ahead.get();
        }
    };
    private final Settings settings =
            Settings.from(Map.of("ringfence.secrets.key", Base64.getEncoder().encodeToString(new byte[32])));
    private final Map<UUID, Long> tenants = new HashMap<>();
    private DeliveryFixture fixture;
    private Slots slots;
    private CandidateFeed feed;

    @BeforeEach
    void open() {
        fixture = new DeliveryFixture();
        slots = new Slots(settings, nanos);
        feed = new CandidateFeed(
                new CandidateRepository(fixture.transactions),
                slots,
                new DeliverySwitch(settings),
                settings,
                ClockProducer.utcMicros(),
                nanos);
        for (int i = 0; i < SLOTS; i++) {
            slots.behaved(UUID.randomUUID(), Pace.QUICK);
        }
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Endpoints with something due, each of a tenant of its own. */
    private List<UUID> endpoints(String name, int count, int due) {
        List<UUID> endpoints = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long tenant = fixture.tenant(name + i);
            UUID endpoint = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
            fixture.deliveries(tenant, endpoint, due, Instant.now().minusSeconds(10));
            endpoints.add(endpoint);
            tenants.put(endpoint, tenant);
        }
        return endpoints;
    }

    private static List<Long> ids(List<Candidate> batch) {
        return batch.stream().map(Candidate::id).toList();
    }

    private static List<UUID> whose(List<Candidate> batch) {
        return batch.stream().map(Candidate::subscriptionId).toList();
    }

    @Test
    @Tag("HT-5")
    void what_is_for_hanging_endpoints_travels_apart_and_one_flight_at_a_time() {
        List<UUID> hanging = endpoints("hanging", 6, 5);
        hanging.forEach(endpoint -> slots.behaved(endpoint, Pace.HUNG));
        List<UUID> quick = endpoints("quick", 3, 4);

        List<Candidate> first = feed.take(AMPLE);
        List<Candidate> second = feed.take(AMPLE);

        assertThat(whose(first)).hasSize(12).containsOnlyElementsOf(hanging);
        assertThat(whose(second)).hasSize(12).containsOnlyElementsOf(quick);
        endpoints("late", 1, 5).forEach(endpoint -> slots.behaved(endpoint, Pace.HUNG));
        feed.signal();
        assertThat(feed.take(MOMENT)).as("while the first flight is under way").isEmpty();
        assertThat(slots.held()).as("in hand").isEqualTo(24);

        slots.free(ids(first));
        assertThat(feed.take(AMPLE)).as("the next flight").hasSize(14);
    }

    @Test
    @Tag("HT-5")
    void slow_endpoints_have_few_flights_and_leave_the_slots_to_the_others() {
        Set<UUID> slow = Set.copyOf(endpoints("slow", 5, 300));
        List<UUID> quick = endpoints("quick", 1, 4);
        slots.dragging(slow);
        List<List<UUID>> flights = new ArrayList<>();
        for (int i = 0; i < Lane.SLOW.flights() + 1; i++) {
            List<UUID> flight = whose(feed.take(AMPLE));
            flights.add(flight);
            if (slow.containsAll(flight)) {
                // As those who take a flight over do.
                slots.straggling(flight.size());
            }
        }

        assertThat(flights).filteredOn(slow::containsAll).hasSize(Lane.SLOW.flights());
        assertThat(flights)
                .filteredOn(quick::containsAll)
                .singleElement()
                .asInstanceOf(LIST)
                .hasSize(4);
        feed.signal();
        assertThat(feed.take(MOMENT)).isEmpty();
    }

    @Test
    @Tag("AT-1")
    void whoever_has_one_due_does_not_wait_for_a_flight_of_each_endpoint_with_a_backlog() {
        endpoints("noisy", 10, 300);
        for (int i = 0; i < 20; i++) {
            slots.free(ids(feed.take(AMPLE)));
        }
        UUID quiet = endpoints("quiet", 1, 1).get(0);
        // How many flights fit into the time between two rounds is the machine's affair.
        ahead.addAndGet(ScanRing.BETWEEN_ROUNDS.toNanos());
        int flights = 0;
        boolean found = false;
        while (!found) {
            List<Candidate> flight = feed.take(AMPLE);
            found = whose(flight).contains(quiet);
            slots.free(ids(flight));
            flights++;
        }
        // At most those of the scan before it and those of the one that finds it.
        assertThat(flights).isLessThanOrEqualTo(6);
    }

    @Test
    void what_waits_in_any_lane_is_given_back() {
        UUID hanging = endpoints("hanging", 1, 5).get(0);
        UUID slow = endpoints("slow", 1, 5).get(0);
        endpoints("quick", 1, 5);
        slots.behaved(hanging, Pace.HUNG);
        slots.dragging(List.of(slow));

        assertThat(whose(feed.take(AMPLE))).hasSize(2).containsOnly(hanging);
        assertThat(slots.held()).isEqualTo(12);
        feed.forget(List.of(tenants.get(slow)));
        assertThat(slots.held()).isEqualTo(7);
        feed.stop();
        assertThat(slots.held()).isEqualTo(2);
    }
}
