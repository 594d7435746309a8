package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutboundTest {
    @ParameterizedTest
    @CsvSource({
        "Host, x", "content-length, 1", "Transfer-Encoding, chunked", "Connection, close", "Expect, 100-continue",
        "'', x", "'a b', x", "a:b, x", "x, 'a\r\nb: c'", "x, é"
    })
    void headersThatChangeTheFrameAreRefused(String name, String value) {
        assertThatIllegalArgumentException().isThrownBy(() -> outbound(name, value));
    }

    @Test
    void othersAreTaken() {
        assertThatCode(() -> outbound("Authorization", "Bearer\tx y~")).doesNotThrowAnyException();
    }

    @Test
    void itsTextHidesHeadersBodyAndPath() {
        assertThat(outbound("Authorization", "Bearer s3cret")).hasToString("Outbound[https://a.test, 7 bytes, STATUS]");
    }

    @Test
    void theUserAgentNamesTheVersionThatIsBuilt() throws Exception {
        String version = RequestMessage.USER_AGENT.replace("Ringfence/", "");

        assertThat(Files.readString(Path.of("pom.xml")))
                .containsPattern("<artifactId>ringfence</artifactId>\\s*<version>" + version + "[.<-]");
    }

    private static Outbound outbound(String name, String value) {
        return new Outbound(
                URI.create("https://a.test/s3cret"),
                Map.of(name, value),
                new byte[7],
                Duration.ofSeconds(1),
                0,
                AckProfile.STATUS);
    }
}
