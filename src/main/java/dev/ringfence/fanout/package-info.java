/**
 * The outbox publisher: it leases recorded events, matches them with their tenant's subscriptions and turns them into deliveries in the
 * very transaction that marks them published (OB-2, OB-3).
 *
 * <p>Failing here means that <em>fan-out</em> failed; how a delivery fares afterwards is none of its business. Each step commits by itself:
 * a crash between claim and publish leaves a lease that runs out and is taken over, and the key tables see to it that no subscription gets
 * a second delivery of the same event.
 */
@NullMarked
package dev.ringfence.fanout;

import org.jspecify.annotations.NullMarked;
