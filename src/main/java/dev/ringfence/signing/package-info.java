/**
 * Ids and signatures of what is sent, and the check of what is received.
 *
 * <p>The package depends on nothing but the JDK, so that a receiver can take it over as it is: both ends then agree on
 * every byte that is signed.
 */
@NullMarked
package dev.ringfence.signing;

import org.jspecify.annotations.NullMarked;
