package dev.ringfence.transport;

import java.nio.file.Path;
import java.time.Instant;

/** A self-signed certificate and its key for tests of other packages. */
public record TestPem(String certificate, String key, Instant expires) {

    public static TestPem make(Path directory) throws Exception {
        Pair pair = Pair.make(directory, "dns:right.test", "EC");
        return new TestPem(
                pair.certificatePem(),
                pair.keyPem(),
                pair.certificate().getNotAfter().toInstant());
    }
}
