/**
 * The delivery job: a partitioned Jakarta Batch chunk that carries due deliveries through fence, reservation, HTTP and receipt.
 *
 * <pre>
 *  CandidateFeed ─▶ DeliverReader    a batch of due deliveries that have free slots
 *                   DeliverProcessor preflight, fence, reservation (committed), recheck, requests under way: a Flight
 *                   DeliverWriter    answers in short windows into receipts (committed), then the fence is let go
 * </pre>
 *
 * The chunk's own transaction stays empty: no connection, no lock, so that HTTP never happens while the database waits for us, and
 * no thread asks for a connection while it holds one. What is here in memory (feed, slots, flights) may be lost at any moment; the
 * rows say the same.
 */
@NullMarked
package dev.ringfence.job;

import org.jspecify.annotations.NullMarked;
