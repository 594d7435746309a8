package dev.ringfence.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.StrictJson;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MatchFilterTest {

    private static final JsonNode EVENT = json("{'eventName':'order.order.placed.v1','workspaceId':null,'payload':"
            + "{'country':'DE','total':10.50,'paid':true,'lines':[1],'a.b':1,'buyer':{'tier':'gold'}}}");

    private static JsonNode json(String text) {
        return StrictJson.parse(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @Tag("SB-2")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[{'payload.country':'DE'}]                                     | true",
                "[{'payload.country':'FR'}]                                     | false",
                "[{'payload.country':['FR','DE']}]                              | true",
                "[{'payload.country':'DE','payload.paid':false}]                | false",
                "[{'payload.country':'DE','payload.paid':true}]                 | true",
                "[{'payload.country':'FR'},{'payload.buyer.tier':'gold'}]       | true",
                "[{'payload.country':'FR'},{'payload.buyer.tier':'silver'}]     | false",
                "[{'payload.total':10.5}]                                       | true",
                "[{'payload.total':1.05e1}]                                     | true",
                "[{'payload.total':'10.50'}]                                    | false",
                "[{'payload.paid':'true'}]                                      | false",
                "[{'workspaceId':null}]                                         | true",
                "[{'relationshipId':null}]                                      | false",
                "[{'payload.country.x':'DE'}]                                   | false",
                "[{'payload.lines':[1]}]                                        | false",
                "[{'payload.a.b':1}]                                            | false",
                "[{'eventName':'order.order.placed.v1'}]                        | true",
            })
    void everyFieldOfOneMatchHolds(String match, boolean accepted) {
        assertThat(MatchFilter.of(json(match)).accepts(EVENT)).isEqualTo(accepted);
    }

    @Test
    @Tag("SB-2")
    void noMatchTakesEverything() {
        assertThat(MatchFilter.of(null).acceptsAll()).isTrue();
        assertThat(MatchFilter.ALL.accepts(EVENT)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "payload.country, true",
        "eventName, true",
        "a..b, false",
        ".a, false",
        "a., false",
        "., false",
        "'', false"
    })
    void aPathIsNamesJoinedByDots(String text, boolean path) {
        assertThat(MatchFilter.isPath(text)).isEqualTo(path);
    }
}
