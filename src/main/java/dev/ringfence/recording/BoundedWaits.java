package dev.ringfence.recording;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.outbox.StorageException;
import java.util.function.Supplier;

/** Turns the end of a bounded wait inside a transaction, which is lost by then, into an answer to try again (FN-3). */
public final class BoundedWaits {
    private BoundedWaits() {}

    /**
     * Does the work.
     *
     * @throws dev.ringfence.api.ApiProblem 503 {@code UNAVAILABLE} where a statement waited too long
     */
    public static <T> T answer(Supplier<T> work) {
        try {
            return work.get();
        } catch (StorageException e) {
            if (e.waitedTooLong()) {
                throw ApiProblem.unavailable(
                        "UNAVAILABLE", "Another transaction holds what this one needs. Try again.");
            }
            throw e;
        }
    }
}
