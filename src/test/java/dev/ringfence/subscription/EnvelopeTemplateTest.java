package dev.ringfence.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.FieldError;
import dev.ringfence.json.StrictJson;
import dev.ringfence.transport.AckProfile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeTemplateTest {

    private static final String EVENT = """
            {"appId":"a-1","eventId":"evt_1","eventName":"shop.order.placed.v1","eventVersion":1,"occurredAt":"2026-11-01T10:00:00.000Z",
             "actor":{"type":"user","id":"u-7"},"payload":{"total":12.50,"big":123456789012345678901234567890.10,"tiny":1e3,"vip":true,
             "note":null,"items":[{"sku":"s-1"}],"name":"Ann"},"metadata":{}}""";

    private static JsonNode json(String text) {
        return StrictJson.parse(text.getBytes(StandardCharsets.UTF_8), 8 << 20);
    }

    private static EnvelopeTemplate template(String text) {
        List<FieldError> errors = new ArrayList<>();
        EnvelopeTemplate read = TemplateReader.read(json("{\"envelope\":" + text + "}"), AckProfile.STATUS, errors);
        assertThat(errors).isEmpty();
        assertThat(read).isNotNull();
        return read;
    }

    private static String rendered(String template, String event) {
        return template(template)
                .render(json(event))
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .orElse("none");
    }

    private static String render(String template) {
        return rendered(template, EVENT);
    }

    private static List<String> faults(String envelope, AckProfile ack) {
        List<FieldError> errors = new ArrayList<>();
        assertThat(TemplateReader.read(json("{\"envelope\":" + envelope + "}"), ack, errors) == null)
                .as("usable")
                .isEqualTo(!errors.isEmpty() && !errors.get(0).code().equals("NEEDS_APP_ID"));
        return errors.stream().map(e -> e.pointer() + " " + e.code()).toList();
    }

    @Test
    @Tag("SB-1")
    void aPlaceholderAloneKeepsTheTypeOfItsValue() {
        assertThat(render("""
                {"z":"{{payload.total}}","b":"{{ payload.big }}","v":"{{payload.vip}}","n":"{{payload.note}}",
                 "i":"{{payload.items}}","e":"{{eventVersion}}","t":"{{occurredAt}}","k":1e3,"list":["{{eventId}}",null,false]}"""))
                .isEqualTo(
                        "{\"z\":12.50,\"b\":123456789012345678901234567890.10,\"v\":true,\"n\":null,\"i\":[{\"sku\":\"s-1\"}],"
                                + "\"e\":1,\"t\":\"2026-11-01T10:00:00.000Z\",\"k\":1E+3,\"list\":[\"evt_1\",null,false]}");
    }

    @Test
    @Tag("SB-1")
    void withinOtherTextAValueIsItsText() {
        assertThat(render("""
                {"text":"Order {{eventId}} of {{payload.name}}: {{payload.total}} {{payload.vip}} {{payload.items}}{{payload.note}}."}""")).isEqualTo("{\"text\":\"Order evt_1 of Ann: 12.50 true [{\\\"sku\\\":\\\"s-1\\\"}].\"}");
    }

    @Test
    @Tag("SB-1")
    void whatAnEventDoesNotHaveIsNullAloneAndNothingWithinText() {
        assertThat(
                        render(
                                "{\"a\":\"{{payload.nobody.there}}\",\"b\":\"<{{workspaceId}}>\",\"c\":\"{{payload.name.first}}\"}"))
                .isEqualTo("{\"a\":null,\"b\":\"<>\",\"c\":null}");
    }

    @Test
    @Tag("SB-1")
    void aTemplateMayBeGivenAsItsText() {
        assertThat(render("\"{\\\"id\\\": \\\"{{eventId}}\\\"}\"")).isEqualTo("{\"id\":\"evt_1\"}");
        assertThat(template("\"{\\\"id\\\":1}\"").given().isTextual()).isTrue();
    }

    @ParameterizedTest
    @Tag("SB-1")
    @Tag("SB-4")
    @ValueSource(
            strings = {
                "\",\"admin\":true,\"x\":\"",
                "\\\"}",
                "\b\f\n\r\t\u0001\u001f",
                "{{eventId}}",
                "{{payload.name}}",
                "}} {{",
                "\u2028\u2029 \ud83d\ude00 é",
                "</script><!--"
            })
    void nothingThatAnEventHoldsChangesTheShape(String hostile) {
        String event = new String(
                StrictJson.write(java.util.Map.of("payload", java.util.Map.of("v", hostile, "w", "fine"))),
                StandardCharsets.UTF_8);
        JsonNode body =
                json(rendered("{\"alone\":\"{{payload.v}}\",\"within\":\"<{{payload.v}}|{{payload.w}}>\"}", event));
        assertThat(body).hasSize(2);
        assertThat(body.path("alone").textValue()).isEqualTo(hostile);
        assertThat(body.path("within").textValue()).isEqualTo("<" + hostile + "|fine>");
    }

    @Test
    @Tag("SB-1")
    void namesOfMembersInValuesAreEscapedToo() {
        String event = "{\"payload\":{\"a\\\"b{{eventId}}\":1}}";
        assertThat(json(rendered("{\"all\":\"{{payload}}\"}", event))
                        .at("/all/a\"b{{eventId}}")
                        .intValue())
                .isEqualTo(1);
    }

    @Test
    @Tag("SB-1")
    void aBodyThatIsTooLargeIsNotMade() {
        String huge = "{\"payload\":{\"v\":\"" + "x".repeat(1 << 20) + "\"}}";
        assertThat(rendered("{\"a\":\"{{payload.v}}\"}", huge)).hasSize((1 << 20) + 8);
        String often = "[\"{{payload}}\"" + ",\"{{payload}}\"".repeat(150) + "]";
        assertThat(rendered(often, huge)).as("references").isEqualTo("none");
        assertThat(rendered("{\"a\":\"x" + "{{payload.v}}".repeat(150) + "\"}", huge))
                .as("text")
                .isEqualTo("none");
        assertThat(rendered(
                        "{\"a\":\"" + "{{payload}}x".repeat(3) + "\"}",
                        "{\"payload\":\"" + "\\\"".repeat(400_000) + "\"}"))
                .as("only its escapes are too much")
                .isEqualTo("none");
    }

    @ParameterizedTest
    @Tag("SB-1")
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{\"a\":{\"b~/\":[1,\"x {{eventId\"]}} ; /envelope/a/b~0~1/1 BAD_PLACEHOLDER",
                "{\"a\":\"{{}}\"} ; /envelope/a BAD_PLACEHOLDER",
                "{\"a\":\"{{{eventId}}}\"} ; /envelope/a BAD_PLACEHOLDER",
                "{\"a\":\"{{payload..x}}\"} ; /envelope/a BAD_PLACEHOLDER",
                "{\"{{eventId}}\":1} ; /envelope/{{eventId}} BAD_PLACEHOLDER",
                "{\"a\":\"{{secret}}\"} ; /envelope/a UNKNOWN_FIELD",
                "{\"a\":\"{{eventId.x}}\"} ; /envelope/a UNKNOWN_FIELD",
                "{\"a\":\"{{subscription.url}}\"} ; /envelope/a UNKNOWN_FIELD",
                "{\"a\":\"{{subscription}}\"} ; /envelope/a UNKNOWN_FIELD",
                "\"{'a':1}\" ; /envelope SYNTAX",
                "\"{\\\"a\\\":1,\\\"a\\\":2}\" ; /envelope/a DUPLICATE_KEY",
                "\"cloudevents-structured\" ; /envelope NOT_AVAILABLE",
                "\"\\\"text\\\"\" ; /envelope WRONG_TYPE",
                "17 ; /envelope WRONG_TYPE"
            })
    void aBadTemplateIsRefusedWithItsPlace(String envelope, String fault) {
        assertThat(faults(envelope, AckProfile.STATUS)).containsExactly(fault);
    }

    @Test
    @Tag("SB-1")
    void aTemplateHasBounds() {
        String deep = "[".repeat(17) + "]".repeat(17);
        assertThat(faults(deep, AckProfile.STATUS)).containsExactly("/envelope" + "/0".repeat(16) + " TOO_DEEP");
        assertThat(faults(deep.substring(1, 33), AckProfile.STATUS)).isEmpty();
        assertThat(faults("[\"" + "x".repeat(16_384) + "\"]", AckProfile.STATUS))
                .containsExactly("/envelope TOO_LONG");
        assertThat(faults("\"[" + " ".repeat(16_384) + "]\"", AckProfile.STATUS))
                .containsExactly("/envelope TOO_LONG");
        assertThat(faults("[\"" + "{{eventId}}".repeat(201) + "\"]", AckProfile.STATUS))
                .containsExactly("/envelope TOO_MANY");
    }

    @ParameterizedTest
    @Tag("HT-3")
    @ValueSource(
            strings = {
                "{\"id\":\"{{eventId}}\"}",
                "{\"appId\":\"{{payload.app}}\"}",
                "{\"appId\":\"{{workspaceId}}\"}",
                "{\"appId\":7}",
                "{\"appId\":\"{{appId}}\",\"events\":\"{{payload.items}}\"}",
                "{\"events\":[]}",
                "[\"{{appId}}\"]"
            })
    void aReceiptNeedsTheApplicationWhateverTheEventHolds(String template) {
        assertThat(faults(template, AckProfile.RECEIPT)).containsExactly("/envelope NEEDS_APP_ID");
        assertThat(faults(template, AckProfile.STATUS)).isEmpty();
    }

    @ParameterizedTest
    @Tag("HT-3")
    @ValueSource(
            strings = {
                "{\"appId\":\"{{appId}}\",\"data\":\"{{payload}}\"}",
                "{\"appId\":\"mine\"}",
                "{\"events\":[{\"appId\":\"{{appId}}\"}]}"
            })
    void aReceiptTakesATemplateThatNamesIt(String template) {
        assertThat(faults(template, AckProfile.RECEIPT)).isEmpty();
    }

    @Test
    @Tag("SB-1")
    void aStoredTemplateThatCannotBeReadHarmsNobody() {
        EnvelopeTemplate broken = TemplateReader.stored(json("{\"a\":\"{{unknown\"}"));
        assertThat(broken.render(json(EVENT))).isEmpty();
        assertThat(broken.given()).isEqualTo(json("{\"a\":\"{{unknown\"}"));
    }
}
