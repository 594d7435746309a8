package dev.ringfence.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.WebArchive;
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
