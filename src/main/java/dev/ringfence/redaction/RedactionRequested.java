package dev.ringfence.redaction;

import java.util.UUID;

/** A redaction was requested, or taken up again; fired in the transaction that does so. */
public record RedactionRequested(UUID id) {}
