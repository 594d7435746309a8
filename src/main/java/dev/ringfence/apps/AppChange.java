package dev.ringfence.apps;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.security.SecretBox;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A validated document that creates or changes an application, by RFC 7396: what is missing stays, {@code null} removes.
 */
final class AppChange {

    static final String ENABLE = "app.enable";
    static final String DISABLE = "app.disable";

    private static final String REMOTE_ERASURE = "remoteErasure";

    private final JsonNode document;
    private final SecretBox secrets;

    AppChange(JsonNode document, SecretBox secrets) {
        this.document = document;
        this.secrets = secrets;
    }

    /** What the erasure secret of an application is sealed for. */
    static String purpose(App app) {
        return "remote erasure " + app.id();
    }

    /** Applies the change and names the audited deeds in it. */
    List<String> applyTo(App app) {
        List<String> deeds = new ArrayList<>();
        if (describe(app)) {
            deeds.add("app.update");
        }
        JsonNode enabled = document.get("enabled");
        if (enabled != null && enabled.booleanValue() != app.enabled()) {
            deeds.add(enabled.booleanValue() ? ENABLE : DISABLE);
            if (enabled.booleanValue()) {
                app.enable();
            } else {
                app.disable();
            }
        }
        return deeds;
    }

    private boolean describe(App app) {
        JsonNode name = document.get("name");
        if (name != null) {
            app.rename(name.textValue());
        }
        JsonNode bound = document.get("minSkewBoundMs");
        if (bound != null) {
            app.demandSkewBound(Duration.ofMillis(bound.longValue()));
        }
        JsonNode erasure = document.get(REMOTE_ERASURE);
        if (erasure != null) {
            eraseRemotely(app, erasure);
        }
        return name != null || bound != null || erasure != null;
    }

    private void eraseRemotely(App app, JsonNode erasure) {
        if (erasure.isNull()) {
            app.eraseLocallyOnly();
            return;
        }
        byte[] secret = erasure.get("secret").textValue().getBytes(StandardCharsets.UTF_8);
        app.eraseRemotelyAt(erasure.get("url").textValue(), secrets.seal(purpose(app), secret));
    }
}
