package dev.ringfence.job;

import dev.ringfence.receipt.Attempted;
import dev.ringfence.transport.SendResult;
import java.time.Duration;

/**
 * What came of one request.
 *
 * @param after how long after the departure it came, whenever it is taken
 */
record Answer(Attempted attempted, SendResult result, Duration after) {}
