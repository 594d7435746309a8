package dev.ringfence.feed;

import jakarta.ws.rs.container.AsyncResponse;

/**
 * A request that waits for something to read.
 *
 * @param before what it is answered where nothing comes
 * @param until when it is answered at the latest, on the monotonic clock
 * @param correlationId of the request, whose context is gone when the answer is made
 */
record Poll(FeedQuery query, Feeds.Read before, AsyncResponse answer, long until, String correlationId) {}
