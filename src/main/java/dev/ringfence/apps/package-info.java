/**
 * Sending applications and their API keys: who may use this installation at all. Every path below {@code /apps/{app}} is
 * closed here to callers of other applications.
 */
@NullMarked
package dev.ringfence.apps;

import org.jspecify.annotations.NullMarked;
