/**
 * Reading and writing JSON so strictly that two readers can never see two different documents (RC-8): platform parsers
 * accept duplicate keys, trailing text and broken encodings. What is accepted here can be stored by PostgreSQL as it is.
 */
@NullMarked
package dev.ringfence.json;

import org.jspecify.annotations.NullMarked;
