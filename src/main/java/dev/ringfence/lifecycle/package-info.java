/**
 * The life of a tenant: one durable row per (app, tenant) that says which epoch is current, and which requests are too old to
 * act on it. Only enrolment makes a tenant active (LC-2); everything else reads the row under the tenant's fence and obeys.
 */
@NullMarked
package dev.ringfence.lifecycle;

import org.jspecify.annotations.NullMarked;
