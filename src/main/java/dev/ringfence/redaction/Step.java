package dev.ringfence.redaction;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What came of one step of a stage. */
sealed interface Step {

    /** Go on with what the rows say is next. */
    record Advanced() implements Step {}

    /**
     * Nothing more can be done now.
     *
     * @param code why; null where only this worker's turn is over
     */
    record Later(@Nullable String code, Duration pause) implements Step {}

    /** The redaction is done, or was given up. */
    record Ended() implements Step {}

    /** Somebody else works on it. */
    record Lost() implements Step {}
}
