/**
 * The life of a delivery: its states, its attempts, and how the API shows them. A delivery is one event for one subscription;
 * everything that happens to it is a row before it is anything else, so this package knows shapes and reads, while the packages
 * above it (reservation, receipt) own the statements that move a delivery on.
 */
@NullMarked
package dev.ringfence.delivery;

import org.jspecify.annotations.NullMarked;
