package dev.ringfence.transport;

import dev.ringfence.transport.TlsFault.Part;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * TLS material, read and found to fit together.
 *
 * @param authorities those that are trusted; none means the server's own
 * @param chain our certificate first, each followed by its issuer; none means that we show none
 */
public record TlsIdentity(
        List<X509Certificate> authorities,
        List<X509Certificate> chain,
        @Nullable PrivateKey key) {
    private static final byte[] SAMPLE = {1};

    public TlsIdentity {
        authorities = List.copyOf(authorities);
        chain = List.copyOf(chain);
    }

    /**
     * Reads it.
     *
     * @throws TlsFault where a part is no PEM, lacks its other half, does not fit it, or has expired at that moment
     */
    public static TlsIdentity read(TlsMaterial material, Instant now) throws TlsFault {
        List<X509Certificate> authorities = Pem.certificates(material.ca(), Part.CA);
        List<X509Certificate> chain = Pem.certificates(material.cert(), Part.CERT);
        PrivateKey key = Pem.privateKey(material.key());
        if (chain.isEmpty() && key != null) {
            throw new TlsFault(Part.CERT, "A private key needs its certificate.");
        }
        if (key == null && !chain.isEmpty()) {
            throw new TlsFault(Part.KEY, "A certificate needs its private key.");
        }
        if (key != null) {
            mustBelong(key, chain.get(0).getPublicKey());
            mustFollow(chain);
        }
        mustBeValid(authorities, Part.CA, now);
        mustBeValid(chain, Part.CERT, now);
        return new TlsIdentity(authorities, chain, key);
    }

    private static void mustBelong(PrivateKey key, PublicKey publicKey) throws TlsFault {
        try {
            Signature signature = Signature.getInstance(algorithm(key));
            signature.initSign(key);
            signature.update(SAMPLE);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(SAMPLE);
            if (signature.verify(signed)) {
                return;
            }
        } catch (GeneralSecurityException e) {
            // Another algorithm: no less a stranger.
        }
        throw new TlsFault(Part.KEY, "The private key does not belong to the first certificate.");
    }

    private static String algorithm(PrivateKey key) {
        return switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        };
    }

    private static void mustFollow(List<X509Certificate> chain) throws TlsFault {
        for (int i = 1; i < chain.size(); i++) {
            try {
                chain.get(i - 1).verify(chain.get(i).getPublicKey());
            } catch (GeneralSecurityException e) {
                throw new TlsFault(Part.CERT, "Each certificate must be followed by that of its issuer.");
            }
        }
    }

    private static void mustBeValid(List<X509Certificate> certificates, Part part, Instant now) throws TlsFault {
        Instant end = end(certificates);
        if (end != null && end.isBefore(now)) {
            throw new TlsFault(part, "A certificate expired at " + end + ".");
        }
    }

    private static @Nullable Instant end(List<X509Certificate> certificates) {
        return certificates.stream()
                .map(certificate -> certificate.getNotAfter().toInstant())
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    /** When the first of the trusted certificates expires, null where none is given. */
    public @Nullable Instant caExpires() {
        return end(authorities);
    }

    /** When the first certificate of our own chain expires, null where there is none. */
    public @Nullable Instant certExpires() {
        return end(chain);
    }

    /** Never shows a key. */
    @Override
    public String toString() {
        return "TlsIdentity";
    }
}
