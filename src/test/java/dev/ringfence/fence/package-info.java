@NullMarked
package dev.ringfence.fence;

import org.jspecify.annotations.NullMarked;
