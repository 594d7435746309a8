/** What an administrator sees and does over JMX: how beans come into the platform's server, and leave it with the deployment (AD-1). */
@NullMarked
package dev.ringfence.management;

import org.jspecify.annotations.NullMarked;
