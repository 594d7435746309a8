package dev.ringfence.transport;

import dev.ringfence.transport.TlsFault.Part;
import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads PEM: blocks of base64 between two lines that name them. Text between blocks is left aside, as OpenSSL does. */
final class Pem {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");
    private static final int MOST_CERTIFICATES = 20;
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");

    private Pem() {}

    private record Block(String name, byte[] content) {}

    /** The certificates of a text, none of null. */
    static List<X509Certificate> certificates(@Nullable String text, Part part) throws TlsFault {
        List<X509Certificate> certificates = new ArrayList<>();
        if (text == null) {
            return certificates;
        }
        for (Block block : blocks(text, part)) {
            if (!block.name().equals("CERTIFICATE")) {
                throw new TlsFault(part, "Only certificates belong here.");
            }
            certificates.add(certificate(block.content(), part));
        }
        if (certificates.size() > MOST_CERTIFICATES) {
            throw new TlsFault(part, "At most " + MOST_CERTIFICATES + " certificates are taken.");
        }
        return certificates;
    }

    private static X509Certificate certificate(byte[] content, Part part) throws TlsFault {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(content));
        } catch (GeneralSecurityException e) {
            throw new TlsFault(part, "A certificate cannot be read.");
        }
    }

    /** The private key of a text, null of null. */
    static @Nullable PrivateKey privateKey(@Nullable String text) throws TlsFault {
        if (text == null) {
            return null;
        }
        List<Block> blocks = blocks(text, Part.KEY);
        if (blocks.size() != 1 || !blocks.get(0).name().equals("PRIVATE KEY")) {
            throw new TlsFault(
                    Part.KEY,
                    "One private key in PKCS #8 without a password is needed (openssl pkcs8 -topk8 -nocrypt).");
        }
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(blocks.get(0).content());
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (GeneralSecurityException e) {
                // The next may fit.
            }
        }
        throw new TlsFault(Part.KEY, "The private key is neither RSA, EC nor Ed25519.");
    }

    private static List<Block> blocks(String text, Part part) throws TlsFault {
        List<Block> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(text);
        try {
            while (matcher.find()) {
                byte[] content = Base64.getMimeDecoder().decode(matcher.group(2));
                blocks.add(new Block(matcher.group(1), content));
            }
        } catch (IllegalArgumentException e) {
            throw new TlsFault(part, "This is not PEM.");
        }
        if (blocks.isEmpty()) {
            throw new TlsFault(part, "This is not PEM.");
        }
        return blocks;
    }
}
