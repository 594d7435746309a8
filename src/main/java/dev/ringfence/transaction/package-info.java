/**
 * What every transaction boundary has in common: a commit that fails is a failure like any other, whichever transaction manager says it.
 */
@NullMarked
package dev.ringfence.transaction;

import org.jspecify.annotations.NullMarked;
