package dev.ringfence.redaction;

/** What somebody found at the remote end of an attempt. Stored as text. */
enum Finding {
    /** The request never arrived, or left nothing. */
    ABSENT,
    /** What it left has been erased. */
    ERASED,
    /** It is there. Noted, and not the end of it. */
    PRESENT;

    boolean resolves() {
        return this != PRESENT;
    }
}
