package dev.ringfence.redaction;

import java.util.UUID;

/**
 * A redaction that a worker of this node has taken for a while.
 *
 * @param token proves that it is still this worker's
 */
record Claim(UUID redaction, String token) {}
