/**
 * What operators do to deliveries: test sends (SB-7), retries and window replays (OP-1, DL-4), and the jobs that carry long work on.
 *
 * <p>A package of its own because these acts cross features: they read the subscription anew, look at the tenant's lifecycle, move
 * deliveries and leave an audit entry, all in one transaction under the tenant's fence. Nothing here sends; what becomes due the delivery
 * engine finds.
 */
@NullMarked
package dev.ringfence.operator;

import org.jspecify.annotations.NullMarked;
