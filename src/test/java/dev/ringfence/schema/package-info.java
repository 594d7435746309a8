/** What the database itself guarantees, tried against a real PostgreSQL. */
package dev.ringfence.schema;
