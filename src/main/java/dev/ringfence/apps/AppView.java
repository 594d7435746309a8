package dev.ringfence.apps;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An application as the interface shows it. */
record AppView(
        UUID id,
        String name,
        boolean enabled,
        long minSkewBoundMs,
        @Nullable RemoteErasure remoteErasure,
        Instant createdAt) {

    /** Where the application erases; its secret is never shown (SC-2). */
    record RemoteErasure(String url) {}

    static AppView of(App app) {
        String url = app.remoteErasureUrl();
        return new AppView(
                app.id(),
                app.name(),
                app.enabled(),
                app.minSkewBound().toMillis(),
                url == null ? null : new RemoteErasure(url),
                app.createdAt());
    }
}
