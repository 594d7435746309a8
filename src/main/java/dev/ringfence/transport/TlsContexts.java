package dev.ringfence.transport;

import dev.ringfence.time.NanoClock;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A TLS context for each material in use, made once. The number that is kept is bounded: what was not used for longest is made
 * anew, should it be asked for again.
 */
final class TlsContexts {
    static final int MOST = 1_000;

    /** Also of tokens. */
    static final long UNUSED = Duration.ofMinutes(10).toNanos();

    private static final char[] NO_PASSWORD = new char[0];

    private final SSLContext plain;
    private final NanoClock clock;
    private final Clock wallClock;
    private final Map<TlsMaterial, Ready> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<TlsMaterial, Ready> eldest) {
            return size() > MOST;
        }
    };

    private record Ready(SSLContext context, @Nullable Instant end, AtomicLong used) {}

    /**
     * @param plain for requests without material of their own
     */
    TlsContexts(SSLContext plain, NanoClock clock, Clock wallClock) {
        this.plain = plain;
        this.clock = clock;
        this.wallClock = wallClock;
    }

    /** The context, or null where the material cannot be used, or no longer. */
    @Nullable
    SSLContext of(TlsMaterial material) {
        if (material.isNone()) {
            return plain;
        }
        Instant now = wallClock.instant();
        synchronized (known) {
            Ready ready = known.get(material);
            if (ready == null) {
                ready = make(material, now);
                if (ready == null) {
                    return null;
                }
                known.put(material, ready);
            }
            ready.used().set(clock.nanos());
            return ready.end() != null && ready.end().isBefore(now) ? null : ready.context();
        }
    }

    /** Lets go of what nobody has used for a while: its keys should not outlive their subscription for long. */
    void forget() {
        synchronized (known) {
            known.values().removeIf(ready -> clock.nanos() - ready.used().get() >= UNUSED);
        }
    }

    int size() {
        synchronized (known) {
            return known.size();
        }
    }

    private static @Nullable Ready make(TlsMaterial material, Instant now) {
        try {
            TlsIdentity identity = TlsIdentity.read(material, now);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(identity), trust(identity.authorities()), null);
            return new Ready(context, identity.certExpires(), new AtomicLong());
        } catch (TlsFault | GeneralSecurityException | IOException e) {
            return null;
        }
    }

    private static KeyManager @Nullable [] keys(TlsIdentity identity) throws GeneralSecurityException, IOException {
        if (identity.key() == null) {
            return null;
        }
        KeyStore store = empty();
        store.setKeyEntry("own", identity.key(), NO_PASSWORD, identity.chain().toArray(Certificate[]::new));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, NO_PASSWORD);
        return keys.getKeyManagers();
    }

    private static TrustManager @Nullable [] trust(List<X509Certificate> authorities)
            throws GeneralSecurityException, IOException {
        if (authorities.isEmpty()) {
            return null;
        }
        KeyStore store = empty();
        for (int i = 0; i < authorities.size(); i++) {
            store.setCertificateEntry("authority " + i, authorities.get(i));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return trust.getTrustManagers();
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }
}
