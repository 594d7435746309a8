/** Recording, tried on PostgreSQL and over HTTP. */
@NullMarked
package dev.ringfence.recording;

import org.jspecify.annotations.NullMarked;
