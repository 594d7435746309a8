/**
 * Sends one request over HTTP and says exactly what is known afterwards.
 *
 * <p>Everything that could send a byte more, or again, than was asked for is left out: no redirects, no repeats, no
 * cookies, no decompression. Where a request may go is decided by {@link dev.ringfence.transport.DestinationGuard}, both
 * when a destination is configured and when it is connected to.
 */
@NullMarked
package dev.ringfence.transport;

import org.jspecify.annotations.NullMarked;
