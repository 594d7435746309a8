/**
 * How a feature takes part in the erasure of a tenant (RD-4): it says which of its rows are the tenant's. A package of its own below
 * the features, so that each can implement {@link dev.ringfence.erasure.TenantEraser} and redaction needs to know none of them.
 */
@NullMarked
package dev.ringfence.erasure;

import org.jspecify.annotations.NullMarked;
