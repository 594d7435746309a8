package dev.ringfence.redaction;

/** The stages of a redaction, in their order (RD-1). Stored as text. */
enum StageName {
    CANCEL,
    FENCE,
    DRAIN,
    ERASE,
    REMOTE_ERASE,
    VERIFY
}
