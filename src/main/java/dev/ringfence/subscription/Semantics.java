package dev.ringfence.subscription;

/** What an unknown outcome of an attempt means for the next one (AT-5). Stored by name. */
public enum Semantics {
    /** It is sent again, with the same bytes. */
    AT_LEAST_ONCE,
    /** Once HTTP started it is never sent again on its own. */
    AT_MOST_ONCE
}
