/**
 * Redaction: ends a tenant so that no send starts afterwards, erases what is the tenant's, and says what is remotely uncertain (RD).
 *
 * <pre>
 *  CANCEL        a hint to all nodes: forget, refuse and abort what is the tenant's
 *  FENCE, DRAIN  the tenant's fence alone, until no open reservation may send any more; then one statement ends the epoch
 *  ERASE         everything of the tenant, in chunks, by every feature's TenantEraser
 *  REMOTE_ERASE  the application's own endpoint is asked to erase, where one is configured
 *  VERIFY        nothing is left, in any table; else ERASE again
 * </pre>
 *
 * The stages are rows: any node may go on with them at any time, and a kill loses an attempt of a stage, never the redaction.
 */
@NullMarked
package dev.ringfence.redaction;

import org.jspecify.annotations.NullMarked;
