/**
 * The settings of the installation (AD-2): read once from MicroProfile Config, checked together when the application
 * starts, and from then on plain immutable values. Everybody may import this package, and it imports nobody, so that no
 * feature ever parses a property by itself.
 */
@NullMarked
package dev.ringfence.config;

import org.jspecify.annotations.NullMarked;
