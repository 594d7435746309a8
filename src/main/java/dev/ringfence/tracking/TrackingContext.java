package dev.ringfence.tracking;

import dev.ringfence.recording.MilestoneContext;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A tenant's tracking context (LC-9), as the API shows it.
 *
 * @param themeCheckedAt when the check that found the theme completed
 * @param enableGeneration how often tracking was switched on again
 */
record TrackingContext(
        long configurationRevision,
        @Nullable String publishedThemeId,
        @Nullable Instant themeCheckedAt,
        boolean enabled,
        long enableGeneration) {

    MilestoneContext milestones() {
        return new MilestoneContext(configurationRevision, publishedThemeId, enableGeneration);
    }
}
