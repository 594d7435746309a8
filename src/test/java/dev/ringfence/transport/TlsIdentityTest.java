package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ringfence.time.NanoClock;
import dev.ringfence.transport.TlsFault.Part;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("SB-1")
class TlsIdentityTest {
    @TempDir
    static Path directory;

    private static Pair one;
    private static Pair other;
    private static Pair sameKind;

    @BeforeAll
    static void certificates() throws Exception {
        one = Pair.make(directory, "dns:one.test", "EC", "-validity", "30");
        sameKind = Pair.make(directory, "dns:same.test", "EC", "-validity", "30");
        other = Pair.make(directory, "dns:other.test", "RSA", "-validity", "10");
    }

    @Test
    void aCertificateWithItsKeyIsRead() throws Exception {
        for (Pair pair : new Pair[] {one, other}) {
            TlsIdentity identity = read(null, "who reads this?\n" + pair.certificatePem(), pair.keyPem());
            assertThat(identity.chain()).containsExactly(pair.certificate());
            assertThat(identity.key()).isEqualTo(pair.key());
            assertThat(identity.authorities()).isEmpty();
        }
    }

    @Test
    void authoritiesMayBeSeveralAndTheFirstEndCounts() throws Exception {
        TlsIdentity identity = read(one.certificatePem() + other.certificatePem(), null, null);
        assertThat(identity.authorities()).containsExactly(one.certificate(), other.certificate());
        assertThat(identity.caExpires())
                .isEqualTo(other.certificate().getNotAfter().toInstant())
                .isBefore(one.certificate().getNotAfter().toInstant());
        assertThat(identity.certExpires()).isNull();
    }

    @Test
    void halvesThatDoNotFitAreRefusedWithTheirPart() throws Exception {
        assertThat(fault(null, one.certificatePem(), null)).isEqualTo(Part.KEY);
        assertThat(fault(null, null, one.keyPem())).isEqualTo(Part.CERT);
        assertThat(fault(null, one.certificatePem(), other.keyPem())).isEqualTo(Part.KEY);
        assertThat(fault(null, one.certificatePem(), sameKind.keyPem())).isEqualTo(Part.KEY);
        assertThat(fault(null, one.certificatePem() + sameKind.certificatePem(), one.keyPem()))
                .isEqualTo(Part.CERT);
        assertThat(fault(null, other.certificatePem(), one.keyPem())).isEqualTo(Part.KEY);
        assertThat(fault(null, one.certificatePem() + other.certificatePem(), one.keyPem()))
                .isEqualTo(Part.CERT);
        assertThat(fault(null, one.keyPem(), one.certificatePem())).isEqualTo(Part.CERT);
        assertThat(fault(null, one.certificatePem(), one.certificatePem())).isEqualTo(Part.KEY);
        assertThat(fault(one.keyPem(), null, null)).isEqualTo(Part.CA);
    }

    @Test
    void keysOfAnotherFormOrKindAreRefused() throws Exception {
        byte[] dsa = KeyPairGenerator.getInstance("DSA")
                .generateKeyPair()
                .getPrivate()
                .getEncoded();
        for (String key : new String[] {
            Pair.pem("PRIVATE KEY", dsa),
            Pair.pem("ENCRYPTED PRIVATE KEY", one.key().getEncoded()),
            Pair.pem("RSA PRIVATE KEY", one.key().getEncoded()),
            Pair.pem("PRIVATE KEY", new byte[] {1, 2, 3}),
            one.keyPem() + one.keyPem()
        }) {
            assertThat(fault(null, one.certificatePem(), key)).isEqualTo(Part.KEY);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "-----BEGIN CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\n\n-----END CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END PRIVATE KEY-----"
            })
    void whatIsNoPemIsRefused(String text) {
        assertThat(fault(text, null, null)).isEqualTo(Part.CA);
    }

    @Test
    void whatHasExpiredIsRefused() throws Exception {
        Instant later = Instant.now().plus(Duration.ofDays(20));
        TlsMaterial ca = new TlsMaterial(other.certificatePem(), null, null);
        TlsMaterial own = new TlsMaterial(null, other.certificatePem(), other.keyPem());

        assertThat(catchThrowableOfType(TlsFault.class, () -> TlsIdentity.read(ca, later))
                        .part())
                .isEqualTo(Part.CA);
        assertThat(catchThrowableOfType(TlsFault.class, () -> TlsIdentity.read(own, later))
                        .part())
                .isEqualTo(Part.CERT);
        assertThat(new TlsContexts(SSLContext.getDefault(), new NanoClock(), fixed(later)).of(own))
                .isNull();
    }

    @Test
    void contextsAreMadeOnceAndNotKeptWithoutBound() throws Exception {
        TlsContexts contexts = new TlsContexts(SSLContext.getDefault(), new NanoClock(), fixed(Instant.now()));
        TlsMaterial first = new TlsMaterial(one.certificatePem(), null, null);
        SSLContext context = contexts.of(first);

        assertThat(contexts.of(new TlsMaterial(one.certificatePem(), null, null)))
                .isNotNull()
                .isSameAs(context);
        assertThat(contexts.of(TlsMaterial.NONE)).isSameAs(SSLContext.getDefault());
        for (int i = 0; i < TlsContexts.MOST + 10; i++) {
            contexts.of(new TlsMaterial("Number " + i + "\n" + one.certificatePem(), null, null));
        }
        assertThat(contexts.size()).isEqualTo(TlsContexts.MOST);
        assertThat(contexts.of(first)).isNotSameAs(context);
    }

    @Test
    @Tag("SC-2")
    void keysAreNeverShown() throws Exception {
        TlsMaterial material = new TlsMaterial(null, one.certificatePem(), one.keyPem());
        assertThat(material.toString() + TlsIdentity.read(material, Instant.now()))
                .doesNotContain(one.keyPem().substring(40, 60))
                .doesNotContain("BEGIN");
    }

    private static Clock fixed(Instant now) {
        return Clock.fixed(now, ZoneOffset.UTC);
    }

    private static TlsIdentity read(@Nullable String ca, @Nullable String cert, @Nullable String key) throws TlsFault {
        return TlsIdentity.read(new TlsMaterial(ca, cert, key), Instant.now());
    }

    private static Part fault(@Nullable String ca, @Nullable String cert, @Nullable String key) {
        return catchThrowableOfType(TlsFault.class, () -> read(ca, cert, key)).part();
    }
}
