package dev.ringfence.transport;

import java.net.InetAddress;
import java.util.List;

/** What became of a host name. */
sealed interface Lookup {
    /** Its addresses, at least one. */
    record Found(List<InetAddress> addresses) implements Lookup {}

    /** It has none, or the name service did not say. */
    record Unknown() implements Lookup {}

    /** One of its addresses is not allowed. */
    record Refused() implements Lookup {}

    /** We have too many lookups under way to begin another. */
    record Overloaded() implements Lookup {}
}
