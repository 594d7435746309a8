/**
 * Recording: the requests that turn a business fact into an outbox row, alone or together with an aggregate's new state, and
 * the reads that show what was recorded. It exists so that one place decides who may record under which epoch, what is a
 * repetition, and that state and event commit together or not at all (RC-1, RC-3, RC-4, RC-6).
 */
@NullMarked
package dev.ringfence.recording;

import org.jspecify.annotations.NullMarked;
