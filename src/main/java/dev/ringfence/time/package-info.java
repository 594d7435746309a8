/**
 * Clocks: the only place that asks the machine what time it is. Everything else takes an injected {@link java.time.Clock} or
 * {@link dev.ringfence.time.NanoClock}, so that a test can set the time, and so that the distance between this machine's clock
 * and the database's is measured in one place (LC-6).
 */
@NullMarked
package dev.ringfence.time;

import org.jspecify.annotations.NullMarked;
