package dev.ringfence.job;

import dev.ringfence.receipt.Attempted;
import dev.ringfence.transport.SendResult;

/** What came of one request. */
record Answer(Attempted attempted, SendResult result) {}
