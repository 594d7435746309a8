/**
 * Whole servers over real sockets and a real database, broken on purpose: what the product promises is read from two independent
 * books, the ledger in PostgreSQL and the log of the receiver.
 */
@NullMarked
package dev.ringfence.campaign;

import org.jspecify.annotations.NullMarked;
