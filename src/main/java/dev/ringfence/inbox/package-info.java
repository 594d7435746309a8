/**
 * The product's own receiver (IN-1): registered consumers take signed events, each event once, and the handler's change
 * commits together with the receipt. Its answers are the acknowledgements that the delivery engine asks for, so that two
 * installations can be joined.
 */
@NullMarked
package dev.ringfence.inbox;

import org.jspecify.annotations.NullMarked;
