/** Tells the server, and so a load balancer, whether this node may be trusted with work (AT-1, AD-2). */
@NullMarked
package dev.ringfence.health;

import org.jspecify.annotations.NullMarked;
