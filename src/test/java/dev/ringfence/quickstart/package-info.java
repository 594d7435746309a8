/**
 * The product on one machine with one command: PostgreSQL, the server and a demo shop whose orders arrive. For a first look
 * and for development; it keeps its data between starts, and it is no way to run production.
 */
@NullMarked
package dev.ringfence.quickstart;

import org.jspecify.annotations.NullMarked;
