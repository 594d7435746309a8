/**
 * The reservation: what makes an attempt count before a byte of it leaves the machine (AT-1). One statement turns a batch of due
 * deliveries into numbered attempts and commits; whoever loses the race for a delivery gets nothing for it. The same package
 * gives back what certainly never started (AT-3) and closes what a crash left open (AT-5), because all three are
 * compare-and-swaps on the same columns.
 */
@NullMarked
package dev.ringfence.reservation;

import org.jspecify.annotations.NullMarked;
