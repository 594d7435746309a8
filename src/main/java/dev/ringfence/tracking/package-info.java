/**
 * What a tenant has set up and under which context its milestones are recorded: settings, published theme, tracking on and off (LC-9).
 * A save is the business and commits first; tracking follows it and may fail without harm (RC-2).
 */
@NullMarked
package dev.ringfence.tracking;

import org.jspecify.annotations.NullMarked;
