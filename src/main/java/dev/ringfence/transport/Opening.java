package dev.ringfence.transport;

import dev.ringfence.transport.Exchange.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A connection that one exchange makes and that others wait for, since it may carry them too. They fail as it fails, should their time
 * be over first: none of them has sent anything.
 */
final class Opening {
    private final Route route;
    private final List<Waiter> waiters = new ArrayList<>();
    private Stage stage = Stage.WAITING;
    private boolean makerWaits;
    private boolean over;

    /** @param again told whether the connection came about */
    record Waiter(Exchange exchange, Consumer<Boolean> again) {}

    Opening(Route route) {
        this.route = route;
    }

    Route route() {
        return route;
    }

    /** How many will want a seat on it, who makes it among them. */
    synchronized int size() {
        return waiters.size() + (makerWaits ? 0 : 1);
    }

    /** Who makes the connection has made it, and waits with the others until it may be used. */
    synchronized void addMaker(Waiter maker) {
        makerWaits = true;
        add(maker);
    }

    /** False where it is over. */
    synchronized boolean add(Waiter waiter) {
        if (over) {
            return false;
        }
        waiters.add(waiter);
        waiter.exchange().enter(stage);
        return true;
    }

    synchronized void enter(Stage next) {
        stage = next;
        if (!over) {
            waiters.forEach(waiter -> waiter.exchange().enter(next));
        }
    }

    void end(boolean came) {
        List<Waiter> told;
        synchronized (this) {
            told = List.copyOf(waiters);
            waiters.clear();
            over = true;
        }
        told.forEach(waiter -> waiter.again().accept(came));
    }
}
