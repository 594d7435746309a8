package dev.ringfence.apps;

import jakarta.persistence.Basic;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A sending application. It is registered once and never deleted; disabling it (RT-2) is a fact that workers read, and
 * keeps its tenants' epochs and boundaries.
 */
@Entity
@Table(name = "apps")
public class App {

    @Id
    private UUID id;

    @Basic(optional = false)
    private String name;

    private boolean enabled;

    @Column(name = "min_skew_bound_ms")
    private int minSkewBoundMs;

    @Column(name = "remote_erasure_url")
    private @Nullable String remoteErasureUrl;

    @Column(name = "remote_erasure_secret")
    private byte @Nullable [] remoteErasureSecret;

    @Column(name = "created_at", updatable = false)
    private OffsetDateTime createdAt;

    @Column(name = "updated_at")
    private OffsetDateTime updatedAt;

    /** For JPA. */
    @SuppressWarnings("NullAway")
    protected App() {}

    private App(UUID id, String name, OffsetDateTime createdAt) {
        this.id = id;
        this.name = name;
        this.enabled = true;
        this.createdAt = createdAt;
        this.updatedAt = createdAt;
    }

    /** A new application, enabled, that demands no bound of its callers' clocks yet. */
    public static App register(UUID id, String name, Instant now) {
        return new App(id, name, now.atOffset(ZoneOffset.UTC));
    }

    public void rename(String newName) {
        name = newName;
    }

    /** Sets the least bound that a time given by this application's callers must carry (LC-5). */
    public void demandSkewBound(Duration least) {
        minSkewBoundMs = Math.toIntExact(least.toMillis());
    }

    /** Enables it again; what was cancelled meanwhile is not brought back (RT-2). */
    public void enable() {
        enabled = true;
    }

    /** Disables it (RT-2). */
    public void disable() {
        enabled = false;
    }

    /** Names the application's own erasure endpoint; the secret is sealed already (SC-2). */
    public void eraseRemotelyAt(String url, byte[] sealedSecret) {
        remoteErasureUrl = url;
        remoteErasureSecret = sealedSecret.clone();
    }

    /** Forgets the erasure endpoint. */
    public void eraseLocallyOnly() {
        remoteErasureUrl = null;
        remoteErasureSecret = null;
    }

    /** Notes when it was changed last. */
    public void touch(Instant now) {
        updatedAt = now.atOffset(ZoneOffset.UTC);
    }

    public UUID id() {
        return id;
    }

    public String name() {
        return name;
    }

    public boolean enabled() {
        return enabled;
    }

    public Duration minSkewBound() {
        return Duration.ofMillis(minSkewBoundMs);
    }

    public @Nullable String remoteErasureUrl() {
        return remoteErasureUrl;
    }

    /** The sealed secret of the erasure endpoint; a copy. */
    public byte @Nullable [] remoteErasureSecret() {
        return remoteErasureSecret == null ? null : remoteErasureSecret.clone();
    }

    public Instant createdAt() {
        return createdAt.toInstant();
    }

    public Instant updatedAt() {
        return updatedAt.toInstant();
    }
}
