/**
 * What makes work begin: timers, and signals after commits. Nothing here decides or changes anything; a signal is a hint, the row is
 * the truth, and a timer is the net under every hint.
 */
@NullMarked
package dev.ringfence.wake;

import org.jspecify.annotations.NullMarked;
