package dev.ringfence.recording;

import dev.ringfence.lifecycle.TenantLifecycle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The tracking context that a milestone belongs to (LC-9, RC-4).
 *
 * @param configurationRevision 0 … 2^53 − 1, so that every JSON reader agrees on it
 * @param publishedThemeId null where no theme was published
 * @param enableGeneration 0 … 2^53 − 1
 */
public record MilestoneContext(
        long configurationRevision, @Nullable String publishedThemeId, long enableGeneration) {

    /** The tenant's context as its row has it. */
    public static MilestoneContext of(TenantLifecycle row) {
        return new MilestoneContext(row.configurationRevision(), row.publishedThemeId(), row.enableGeneration());
    }

    /** The same but for the revision. */
    public MilestoneContext withRevision(long revision) {
        return new MilestoneContext(revision, publishedThemeId, enableGeneration);
    }

    /** Whether the tenant tracks at all, and in this context still. */
    boolean isCurrent(TenantLifecycle row) {
        return row.enabled()
                && configurationRevision == row.configurationRevision()
                && enableGeneration == row.enableGeneration()
                && Objects.equals(publishedThemeId, row.publishedThemeId());
    }
}
