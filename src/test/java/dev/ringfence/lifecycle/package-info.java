@NullMarked
package dev.ringfence.lifecycle;

import org.jspecify.annotations.NullMarked;
