/**
 * The fact table that makes publishing reliable: what an event is called, the bytes that will be sent, and the row that
 * records both in the transaction of the business change. It exists so that nothing else decides how an event looks or how
 * its identity is guarded; it neither validates requests nor delivers.
 */
@NullMarked
package dev.ringfence.outbox;

import org.jspecify.annotations.NullMarked;
