/**
 * What integration tests, the benchmark and the quick start run on: a real PostgreSQL with durable settings, real server
 * processes that can be killed, a receiver on real sockets and a client of the HTTP API. Nothing here is simulated.
 */
@NullMarked
package dev.ringfence.harness;

import org.jspecify.annotations.NullMarked;
