@NullMarked
package dev.ringfence.ordering;

import org.jspecify.annotations.NullMarked;
