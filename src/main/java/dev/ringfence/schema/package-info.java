/**
 * Brings the database to the state that this build needs, before anything else uses it, and keeps the weeks of the
 * partitioned tables ahead of time. It exists so that no other package has to ask whether a table is there.
 */
@NullMarked
package dev.ringfence.schema;

import org.jspecify.annotations.NullMarked;
