/**
 * Retention of what lies in weeks (RT-1): events, finished deliveries and their attempts go by dropping whole partitions, while everything
 * else goes on. What decides is in the database (liquibase/changes/260-retention.sql), under the locks that make it true; here is when it
 * is asked.
 */
@NullMarked
package dev.ringfence.retention;

import org.jspecify.annotations.NullMarked;
