@NullMarked
package dev.ringfence.time;

import org.jspecify.annotations.NullMarked;
