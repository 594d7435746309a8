package dev.ringfence.reservation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A batch of deliveries to reserve in one statement.
 *
 * @param node who sends
 * @param now the application's clock: what is due, and when the attempts began
 * @param maxAge the age of a cycle at which it expires (DL-2)
 * @param sendWindow how long after the reservation the first byte may leave; began before this order was made
 * @param grace how long past the last possible answer an open attempt is left to its owner
 */
public record ReservationOrder(
        String node, Instant now, Duration maxAge, Duration sendWindow, Duration grace, List<Wanted> wanted) {

    public ReservationOrder {
        wanted = List.copyOf(wanted);
    }
}
