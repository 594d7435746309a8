package dev.ringfence.apps;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.RequestContext;
import dev.ringfence.audit.Audit;
import dev.ringfence.idempotency.CurrentPost;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.Outcome;
import dev.ringfence.security.SecretBox;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Registers and changes applications, each deed with its audit entry in one transaction. */
@ApplicationScoped
public class Apps {

    @Inject
    AppRepository apps;

    @Inject
    CurrentPost post;

    @Inject
    Audit audit;

    @Inject
    SecretBox secrets;

    @Inject
    RequestContext request;

    @Inject
    CancellationRepository cancellations;

    @Inject
    Event<AppDisabled> disabled;

    @Inject
    Clock clock;

    /** Registers an application: 201. */
    @Transactional
    IdempotentAnswer register(@Nullable String idempotencyKey, byte[] raw, JsonNode document) {
        return post.once(idempotencyKey, raw, () -> Outcome.of(201, AppView.of(add(document))));
    }

    /**
     * Changes an application by RFC 7396. Disabling it cancels its queued work, in steps that follow (RT-2).
     *
     * @throws ApiProblem 404 where there is none; 409 {@code CANCELLATION_IN_PROGRESS} where it is to be enabled before the work of
     *     the time before is cancelled, which would be sent else
     */
    @Transactional
    AppView change(UUID id, JsonNode document) {
        App app = apps.findForUpdate(id).orElseThrow(ApiProblem::notFound);
        for (String deed : new AppChange(document, secrets).applyTo(app)) {
            app.touch(clock.instant());
            follow(deed, app);
            audit(deed, app, document);
        }
        return AppView.of(app);
    }

    private void follow(String deed, App app) {
        if (deed.equals(AppChange.DISABLE)) {
            cancellations.open(app.id());
            disabled.fire(new AppDisabled(app.id()));
        } else if (deed.equals(AppChange.ENABLE)) {
            if (cancellations.isOpen(app.id())) {
                throw ApiProblem.conflict(
                                "CANCELLATION_IN_PROGRESS",
                                "What was queued when the application was disabled is still being cancelled.")
                        .with("Retry-After", "1");
            }
            cancellations.enabledAgain(app.id());
        }
    }

    private App add(JsonNode document) {
        App app = App.register(UUID.randomUUID(), document.get("name").textValue(), clock.instant());
        new AppChange(document, secrets).applyTo(app);
        apps.add(app);
        audit("app.create", app, document);
        return app;
    }

    private void audit(String deed, App app, JsonNode document) {
        String reason = document.path("reason").textValue();
        audit.record(request.caller().actor(), deed, app.id(), null, app.id().toString(), reason, null);
    }
}
