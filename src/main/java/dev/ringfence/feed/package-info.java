/**
 * Subscriptions whose reader fetches: the feed, its cursors, polls that wait, and the watch over transactions that hold feeds back (PL-1
 * to PL-3). Apart from delivery, because nothing is sent here: no attempt, no reservation, no lease.
 */
@NullMarked
package dev.ringfence.feed;

import org.jspecify.annotations.NullMarked;
