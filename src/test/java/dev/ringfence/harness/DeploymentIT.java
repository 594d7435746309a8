package dev.ringfence.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The WAR as it ships deploys on the server as it is provisioned, and answers there. */
@ArquillianTest
@RunAsClient
class DeploymentIT {
    @ArquillianResource
    private URI base;

    @Deployment
    static WebArchive war() {
        return ShrinkWrap.createFromZipFile(WebArchive.class, HarnessFiles.war().toFile());
    }

    /** Each run leaves the checksum of the file that it deployed; runs of another build do not count. */
    @Test
    @Tag("AD-1")
    void everyServerGetsTheSameFile() throws Exception {
        byte[] war = Files.readAllBytes(HarnessFiles.war());
        String checksum =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(war));
        Path left = Files.createDirectories(HarnessFiles.work().resolve("checksums"));
        Files.writeString(left.resolve(ServerForm.KIND), checksum);
        FileTime built = Files.getLastModifiedTime(HarnessFiles.war());
        try (Stream<Path> servers = Files.list(left)) {
            for (Path server : servers.toList()) {
                if (Files.getLastModifiedTime(server).compareTo(built) >= 0) {
                    assertThat(server).hasContent(checksum);
                }
            }
        }
    }

    @Test
    void theApiAsksForAKey() {
        var answer = RingfenceClient.send(
                HttpRequest.newBuilder(base.resolve("api/v1/clock")).build());
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.code()).isEqualTo("UNAUTHENTICATED");
    }

    @Test
    void anAdministratorReadsTheClock() {
        var answer = new RingfenceClient(base.resolve("api/v1/"), HarnessLifecycle.ADMIN_KEY).get("clock");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body().path("status").asText()).isEqualTo("MEASURED");
    }
}
