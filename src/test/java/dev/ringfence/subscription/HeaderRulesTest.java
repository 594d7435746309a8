package dev.ringfence.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.transport.Outbound;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderRulesTest {

    private final HeaderRules rules = new HeaderRules(List.of("svix"));

    @ParameterizedTest
    @ValueSource(strings = {"X-Shop", "x", "My.Header_1~", "!#$%&'*+-.^_`|~", "Accept"})
    void ownNamesAreTokens(String name) {
        assertThat(rules.nameProblem(name)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "X Shop",
                "X:Shop",
                "X-Shöp",
                "X\r\nY",
                "Host",
                "hOsT",
                "content-LENGTH",
                "Content-Type",
                "Authorization",
                "Transfer-Encoding",
                "Connection",
                "User-Agent",
                "traceparent",
                "Webhook-Id",
                "webhook-anything",
                "SVIX-signature",
                "Ringfence-Correlation-Id",
                "X-Forwarded-For",
                "Upgrade",
                "Expect",
                "TE",
                "Trailer",
                "Keep-Alive",
                "Proxy-Connection",
                "Proxy-Authorization"
            })
    void noTokenAndReservedNamesAreRefusedInAnyCase(String name) {
        assertThat(rules.nameProblem(name)).isPresent();
    }

    @Test
    @Tag("SB-1")
    void nothingIsSavedThatTheTransportWouldRefuse() {
        for (char c = 0; c < 0x180; c++) {
            for (String text : List.of("a" + c + "b", "a" + c, c + "b")) {
                if (rules.nameProblem(text).isEmpty()) {
                    assertThat(Outbound.isHeaderAllowed(text, ""))
                            .as("name %s", text)
                            .isTrue();
                }
                if (HeaderRules.valueProblem(text).isEmpty()) {
                    assertThat(Outbound.isHeaderAllowed("X", text))
                            .as("value %s", text)
                            .isTrue();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "a b", "a\tb", "text/plain; q=0.5", "~"})
    void plainValuesPass(String value) {
        assertThat(HeaderRules.valueProblem(value)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", " a", "a ", "a\r\nX-Injected: 1", "a\nb", "a\rb", "a\u0000b", "a\u007fb", "é", "\u2028"
            })
    void lineBreaksControlsAndWhatNoHeaderCanCarryAreRefusedWhenSaved(String value) {
        assertThat(HeaderRules.valueProblem(value)).isPresent();
    }
}
