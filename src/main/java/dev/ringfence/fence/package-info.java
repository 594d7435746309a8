/**
 * The tenant fence: one PostgreSQL advisory lock per (app, tenant), the same for every process and node (FN-1). Work of several
 * transactions holds it on a connection of its own outside JTA ({@link dev.ringfence.fence.TenantFences}); recording, a single
 * transaction, holds it in that transaction ({@link dev.ringfence.fence.RecordingFence}). The package knows locks and
 * connections; what a tenant's phase or epoch means is lifecycle's business.
 */
@NullMarked
package dev.ringfence.fence;

import org.jspecify.annotations.NullMarked;
