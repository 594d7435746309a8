/**
 * The receipt: what came of an attempt, stored in a transaction of its own (AT-2). {@link dev.ringfence.receipt.Outcomes} decides
 * what a result means, without touching anything; {@link dev.ringfence.receipt.Receipts} writes it, keyed by the reservation, so
 * that a worker that outlived its lease changes nothing but a note in the history.
 */
@NullMarked
package dev.ringfence.receipt;

import org.jspecify.annotations.NullMarked;
