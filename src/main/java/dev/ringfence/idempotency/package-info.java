/**
 * {@code Idempotency-Key} (RC-12): a POST that is sent again is answered again, not done again. The key is stored in the
 * transaction of the deed, so neither exists without the other.
 */
@NullMarked
package dev.ringfence.idempotency;

import org.jspecify.annotations.NullMarked;
