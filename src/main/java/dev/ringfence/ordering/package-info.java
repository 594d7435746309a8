/**
 * The order of deliveries per key (OB-5): which held delivery has its turn, and who looks. A held delivery is due at infinity, so that
 * sending knows nothing of it; {@link dev.ringfence.ordering.Releases} makes the next one of a key due when all before it have ended.
 */
@NullMarked
package dev.ringfence.ordering;

import org.jspecify.annotations.NullMarked;
