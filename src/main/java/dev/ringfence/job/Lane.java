package dev.ringfence.job;

/**
 * Deliveries to endpoints that keep their flights waiting travel apart from the others, in few flights of their own: what those wait
 * for is no worker's and no other endpoint's business (HT-5). Fewer flights than {@link Stragglers} take over, so that one is left for
 * an endpoint that was quick until now.
 */
enum Lane {
    QUICK(Integer.MAX_VALUE),
    SLOW(3),
    /** Endpoints that came to their deadline last time: two requests each until one is answered. */
    HANGING(1);

    private final int flights;

    Lane(int flights) {
        this.flights = flights;
    }

    /** How many flights there may be at once. */
    int flights() {
        return flights;
    }
}
