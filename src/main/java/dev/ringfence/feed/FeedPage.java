package dev.ringfence.feed;

import java.util.List;

/**
 * A page of a feed.
 *
 * @param items in the order of their places
 * @param cursor the place to read on from; where nothing was found, the one that was asked for
 * @param committed the place up to which everything counts as delivered: what {@code from} has to be
 */
record FeedPage(List<FeedItem> items, String cursor, String committed) {

    FeedPage {
        items = List.copyOf(items);
    }
}
