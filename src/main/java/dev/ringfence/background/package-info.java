/**
 * Threads of the server for work that outlives the request, timer or job that asked for it. An enterprise bean and no executor, because
 * not every server lets a redeployed application go once its executor has used the database for it.
 */
@NullMarked
package dev.ringfence.background;

import org.jspecify.annotations.NullMarked;
