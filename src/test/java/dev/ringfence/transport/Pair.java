package dev.ringfence.transport;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Self-signed certificates with their keys, made by the JDK's own keytool, also as PEM. */
record Pair(X509Certificate certificate, PrivateKey key) {
    private static final String PASSWORD = "changeit";

    /**
     * @param san the alternative name, such as {@code dns:right.test}
     * @param more arguments for keytool
     */
    static Pair make(Path directory, String san, String algorithm, String... more) throws Exception {
        Path file = Files.createTempDirectory(directory, "pair").resolve("pair.p12");
        Path said = file.resolveSibling("keytool.txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "one",
                "-keyalg",
                algorithm,
                "-dname",
                "CN=" + san.replace(':', '-'),
                "-ext",
                "san=" + san,
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                PASSWORD));
        command.addAll(List.of(more));
        Process keytool = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        if (!keytool.waitFor(120, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            throw new IllegalStateException(Files.readString(said));
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return new Pair((X509Certificate) store.getCertificate("one"), (PrivateKey)
                store.getKey("one", PASSWORD.toCharArray()));
    }

    String certificatePem() throws Exception {
        return pem("CERTIFICATE", certificate.getEncoded());
    }

    String keyPem() {
        return pem("PRIVATE KEY", key.getEncoded());
    }

    static String pem(String name, byte[] content) {
        String base64 = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        return "-----BEGIN " + name + "-----\n" + base64 + "\n-----END " + name + "-----\n";
    }

    /** A server's context: shows this pair, trusts the others. */
    SSLContext trusting(Pair... others) throws Exception {
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, null);
        own.setKeyEntry("own", key, new char[0], new X509Certificate[] {certificate});
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, new char[0]);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        for (int i = 0; i < others.length; i++) {
            trusted.setCertificateEntry("other " + i, others[i].certificate());
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
