/**
 * What every JAX-RS resource shares: the application path, problem documents, the request's context (when it came in, who
 * sent it, which workflow it belongs to), body limits, strict request reading, paging. It knows no feature; features
 * import it.
 */
@NullMarked
package dev.ringfence.api;

import org.jspecify.annotations.NullMarked;
