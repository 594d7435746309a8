package dev.ringfence.job;

import dev.ringfence.config.Settings;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.fence.SharedFence;
import dev.ringfence.fence.TenantFences;
import dev.ringfence.receipt.Conclusion;
import dev.ringfence.receipt.Conclusions;
import dev.ringfence.time.DatabaseTime;
import dev.ringfence.time.NanoClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** From due deliveries to requests under way: what may not be sent is ended, the rest goes under the fence and takes off. */
@ApplicationScoped
public class Departure {
    private static final Logger LOG = System.getLogger(Departure.class.getName());
    private static final Duration FENCE_TAKEN = Duration.ofMillis(100);
    private static final Duration LOST_RACE = Duration.ofMillis(200);
    private static final Duration FAILED = Duration.ofSeconds(1);
    private static final Duration UNREADABLE = Duration.ofSeconds(2);

    private final Endpoints endpoints;
    private final Conclusions conclusions;
    private final TenantFences fences;
    private final Takeoff takeoff;
    private final Slots slots;
    private final Settings settings;
    private final Clock clock;
    private final NanoClock nanos;

    @Inject
    public Departure(
            Endpoints endpoints,
            Conclusions conclusions,
            TenantFences fences,
            Takeoff takeoff,
            Slots slots,
            Settings settings,
            @DatabaseTime Clock clock,
            NanoClock nanos) {
        this.endpoints = endpoints;
        this.conclusions = conclusions;
        this.fences = fences;
        this.takeoff = takeoff;
        this.slots = slots;
        this.settings = settings;
        this.clock = clock;
        this.nanos = nanos;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Departure() {
        this(null, null, null, null, null, null, null, null);
    }

    /**
     * Sends off what may be sent. Slots of what was not sent are given back here, those of the flight when it has landed.
     *
     * @return empty where nothing is under way
     */
    Optional<Flight> depart(List<Candidate> batch) {
        try {
            Map<UUID, Endpoint> known = endpoints.of(batch);
            return board(readable(sendable(batch, known), known), known);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "delivery: a batch of {0} was put back: {1}", batch.size(), e.toString());
            slots.shun(ids(batch), FAILED);
            return Optional.empty();
        }
    }

    private List<Candidate> sendable(List<Candidate> batch, Map<UUID, Endpoint> known) {
        Instant now = clock.instant();
        List<Candidate> sendable = new ArrayList<>(batch.size());
        List<Conclusion> ended = new ArrayList<>();
        for (Candidate candidate : batch) {
            Endpoint endpoint = known.get(candidate.subscriptionId());
            int most = endpoint == null ? 0 : maxAttempts(endpoint);
            Preflight.judge(candidate, endpoint == null ? null : endpoint.subscription(), now, settings.maxAge(), most)
                    .ifPresentOrElse(ended::add, () -> sendable.add(candidate));
        }
        if (!ended.isEmpty()) {
            conclusions.conclude(ended, now);
            slots.shun(ended.stream().map(Conclusion::deliveryId).toList(), LOST_RACE);
        }
        return sendable;
    }

    /** Without a subscription's secrets nothing can be sent to it: that waits, until they can be read or it expires; the others go (HT-5). */
    private List<Candidate> readable(List<Candidate> sendable, Map<UUID, Endpoint> known) {
        Map<Boolean, List<Candidate>> parts = sendable.stream()
                .collect(Collectors.partitioningBy(
                        candidate -> Objects.requireNonNull(known.get(candidate.subscriptionId()))
                                .readable()));
        List<Candidate> unreadable = Objects.requireNonNull(parts.get(false));
        if (!unreadable.isEmpty()) {
            Set<UUID> subscriptions =
                    unreadable.stream().map(Candidate::subscriptionId).collect(Collectors.toSet());
            LOG.log(
                    Level.WARNING,
                    "delivery: subscriptions wait, as a stored secret of theirs cannot be read. Is ringfence.secrets.key the one it was stored with? {0}",
                    subscriptions);
            slots.putBack(ids(unreadable));
            slots.coolSubscriptions(subscriptions, UNREADABLE);
        }
        return Objects.requireNonNull(parts.get(true));
    }

    private Optional<Flight> board(List<Candidate> sendable, Map<UUID, Endpoint> known) {
        if (sendable.isEmpty()) {
            return Optional.empty();
        }
        Map<Long, FenceKey> keys = new HashMap<>();
        sendable.forEach(candidate -> keys.put(candidate.tenantId(), candidate.fenceKey()));
        SharedFence fence = fences.trySharedAll(keys.values(), takeoff.hold());
        Flight flight = new Flight(fence, keys, nanos);
        try {
            List<Candidate> fenced = fenced(sendable, fence.granted());
            takeOff(flight, fenced, known);
            List<Long> departed = flight.openIds();
            slots.departed(departed);
            Set<Long> lost = new HashSet<>(ids(fenced));
            departed.forEach(lost::remove);
            slots.rest(lost, LOST_RACE);
        } finally {
            if (flight.open() == 0) {
                flight.close();
            }
        }
        return flight.open() > 0 ? Optional.of(flight) : Optional.empty();
    }

    /** Once something owes an answer, the flight goes on under its fence whatever happened to the rest (FN-7). */
    private void takeOff(Flight flight, List<Candidate> fenced, Map<UUID, Endpoint> known) {
        try {
            takeoff.takeOff(flight, fenced, known);
        } catch (RuntimeException | Error e) {
            if (flight.open() == 0) {
                throw e;
            }
            LOG.log(Level.ERROR, "delivery: take-off failed with " + flight.open() + " under way", e);
        }
    }

    private List<Candidate> fenced(List<Candidate> sendable, Set<FenceKey> granted) {
        List<Candidate> taken = sendable.stream()
                .filter(candidate -> !granted.contains(candidate.fenceKey()))
                .toList();
        if (taken.isEmpty()) {
            return sendable;
        }
        slots.putBack(ids(taken));
        slots.cool(taken.stream().map(Candidate::tenantId).distinct().toList(), FENCE_TAKEN);
        return sendable.stream()
                .filter(candidate -> granted.contains(candidate.fenceKey()))
                .toList();
    }

    private int maxAttempts(Endpoint endpoint) {
        return Math.min(
                settings.maxAttempts(), endpoint.subscription().rules().retry().attempts());
    }

    private static List<Long> ids(List<Candidate> candidates) {
        return candidates.stream().map(Candidate::id).toList();
    }
}
