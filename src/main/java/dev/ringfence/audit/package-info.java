/**
 * Who did what, when, to what and why (OP-1). Entries are written in the transaction of the deed itself, so that neither exists without
 * the other, and the database refuses to change or delete them. A package of its own, below the features, so that every feature can
 * leave its trace and none can take one back.
 */
@NullMarked
package dev.ringfence.audit;

import org.jspecify.annotations.NullMarked;
