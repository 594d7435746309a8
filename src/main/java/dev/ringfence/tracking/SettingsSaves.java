package dev.ringfence.tracking;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.RequestStarts;
import dev.ringfence.lifecycle.TenantChecks;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.recording.ContentHash;
import dev.ringfence.recording.TenantStart;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The business save: one transaction without any fence, committed before tracking begins (RC-2). */
@ApplicationScoped
class SettingsSaves {
    private final SettingsRepository settings;
    private final RequestStarts starts;
    private final Clock clock;

    @Inject
    SettingsSaves(SettingsRepository settings, RequestStarts starts, Clock clock) {
        this.settings = settings;
        this.starts = starts;
        this.clock = clock;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    SettingsSaves() {
        this(null, null, null);
    }

    /**
     * What a save did.
     *
     * @param at when it was saved
     * @param changed false where the settings were these already: then nothing was written
     */
    record Saved(long revision, boolean changed, Instant at) {}

    /**
     * Saves settings.
     *
     * @param text the JSON object as it was submitted
     * @throws ApiProblem 412 {@code PRECONDITION_FAILED}; 409 {@code REQUEST_BEFORE_REDACTION} where the request may have begun before the
     *     tenant was redacted: a save that old would bring back what is being erased
     */
    @Transactional
    Saved save(TenantRef tenant, TenantStart start, IfMatch condition, JsonNode document, String text) {
        refuseFromBeforeRedaction(tenant, start);
        StoredSettings standing = settings.findLocked(tenant).orElse(null);
        condition.check(standing);
        Instant now = clock.instant();
        if (standing != null && same(standing, document)) {
            return new Saved(standing.revision(), false, now);
        }
        long revision = write(tenant, standing, text, now).orElseThrow(() -> IfMatch.failed(null));
        return new Saved(revision, true, now);
    }

    private Optional<Long> write(TenantRef tenant, @Nullable StoredSettings standing, String text, Instant now) {
        return standing == null
                ? settings.create(tenant, text, now)
                : settings.replace(tenant, standing.revision(), text, now);
    }

    private void refuseFromBeforeRedaction(TenantRef tenant, TenantStart start) {
        Optional<Instant> boundary = settings.boundary(tenant);
        if (boundary.isPresent()
                && !starts.effective(start.receivedAt(), start.callerStart(), Duration.ZERO)
                        .isAfter(boundary.get())) {
            throw ApiProblem.conflict(
                    TenantChecks.REQUEST_BEFORE_REDACTION.code(), TenantChecks.REQUEST_BEFORE_REDACTION.detail());
        }
    }

    private static boolean same(StoredSettings standing, JsonNode document) {
        if (!standing.present()) {
            return false;
        }
        JsonNode before = StrictJson.parse(standing.text().getBytes(StandardCharsets.UTF_8));
        return Arrays.equals(ContentHash.of(before), ContentHash.of(document));
    }
}
