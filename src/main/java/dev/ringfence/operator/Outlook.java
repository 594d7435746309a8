package dev.ringfence.operator;

import java.util.List;

/**
 * What the next step of a replay would find, read before it holds anything: a window may be long, and a transaction that writes keeps what
 * commits meanwhile out of all feeds until it ends (PL-2).
 *
 * @param replay as it was then; a step of one that has moved on since does nothing
 * @param total deliveries in the whole window; 0 where that is known already
 * @param next those whose turn it is, in the order of their creation
 * @param last whether no others follow these
 * @param full whether the tenant has so much waiting that these have to wait (RC-10)
 */
record Outlook(Replay replay, long total, List<NewCycleRepository.Place> next, boolean last, boolean full) {

    Outlook {
        next = List.copyOf(next);
    }
}
