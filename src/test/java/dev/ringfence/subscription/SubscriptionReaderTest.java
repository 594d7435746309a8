package dev.ringfence.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.config.Settings;
import dev.ringfence.json.FieldError;
import dev.ringfence.json.JsonSchemas;
import dev.ringfence.json.StrictJson;
import dev.ringfence.transport.AckProfile;
import dev.ringfence.transport.OAuthClient;
import dev.ringfence.transport.TestPem;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubscriptionReaderTest {

    private static final String URL = "'name':'orders','mode':'PUSH','url':'https://hooks.example.test/in'";

    private static JsonNode json(String members) {
        return StrictJson.parse(("{" + members + "}").replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static SubscriptionReader reader(Map<String, String> more) {
        Map<String, String> values = new HashMap<>(more);
        values.put("ringfence.secrets.key", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        return new SubscriptionReader(Settings.from(values), Clock.systemUTC());
    }

    private static SubscriptionDraft read(String more) {
        JsonNode request = json(URL + more);
        assertThat(new JsonSchemas().validate("subscription", request)).isEmpty();
        return reader(Map.of()).read(request);
    }

    private static List<FieldError> errors(String more) {
        return catchThrowableOfType(ApiProblem.class, () -> read(more)).errors();
    }

    @Test
    @Tag("SB-1")
    @Tag("DL-2")
    void aNameAndAUrlSuffice() {
        SubscriptionDraft draft = read("");
        assertThat(draft.destination().ack()).isEqualTo(AckProfile.STATUS);
        assertThat(draft.destination().timeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(draft.rules().semantics()).isEqualTo(Semantics.AT_LEAST_ONCE);
        assertThat(draft.rules().deadThreshold()).isEqualTo(10);
        assertThat(draft.rules().retry().attempts()).isEqualTo(6);
        assertThat(draft.rules().retry().waitsSeconds()).containsExactly(60, 300, 1800, 7200, 21600);
        assertThat(draft.grants().families()).containsExactly("*");
        assertThat(draft.signing()).hasSize(1).allMatch(SigningRequest::made);
        assertThat(draft.signing().get(0).secret().reveal()).startsWith("whsec_");
    }

    @Test
    @Tag("SB-7")
    void limitsAndStatusesToRetryAreRead() {
        SubscriptionDraft draft = read(",'limits':{'inFlight':3,'perSecond':0.5},'retryStatuses':[404,425]");
        assertThat(draft.rules().inFlight()).isEqualTo(3);
        assertThat(draft.rules().perSecond()).isEqualTo(0.5);
        assertThat(draft.rules().retryStatuses()).containsExactly(404, 425);
        assertThat(read("").rules().perSecond()).isNull();
        for (String bad : List.of("'limits':{'perSecond':0}", "'retryStatuses':[410]", "'retryStatuses':[500]")) {
            assertThat(new JsonSchemas().validate("subscription", json(URL + "," + bad)))
                    .as(bad)
                    .isNotEmpty();
        }
    }

    @ParameterizedTest
    @Tag("SB-1")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'envelope':'cloudevents-binary'                          | /envelope",
                "'signing':[{'scheme':'hmac','header':'X-S','algorithm':'sha256','encoding':'hex'}] | /signing/0/scheme",
                "'signing':[{'scheme':'webhook-id'},{'scheme':'v1a','prefix':'v'}]  | /signing/1/scheme",
            })
    void whatIsNotCarriedOutYetIsRefusedByName(String member, String pointer) {
        assertThat(errors("," + member)).singleElement().satisfies(error -> {
            assertThat(error.pointer()).isEqualTo(pointer);
            assertThat(error.code()).isEqualTo("NOT_AVAILABLE");
        });
    }

    @Test
    @Tag("OB-5")
    void anOrderIsReadAndOneThatNobodyKeepsIsRefused() {
        assertThat(read("").rules().order()).isEqualTo(OrderRules.NONE);
        assertThat(read(",'ordering':'KEY'").rules().order()).isEqualTo(new OrderRules(Ordering.KEY, OnDead.CONTINUE));
        assertThat(read(",'ordering':'KEY','onDead':'BLOCK'").rules().order())
                .isEqualTo(new OrderRules(Ordering.KEY, OnDead.BLOCK));
        assertThat(errors(",'onDead':'BLOCK'")).singleElement().satisfies(error -> {
            assertThat(error.pointer()).isEqualTo("/onDead");
            assertThat(error.code()).isEqualTo("NOT_APPLICABLE");
        });
    }

    @Test
    @Tag("PL-1")
    void whatIsFetchedNeedsANameAndHasNoOptionsOfRequests() {
        SubscriptionDraft draft = reader(Map.of()).read(json("'name':'n','mode':'PULL','eventTypes':['order.*']"));
        assertThat(draft.destination().mode()).isEqualTo(Mode.PULL);
        assertThat(draft.destination().url()).isNull();
        assertThat(draft.signing()).isEmpty();
        assertThat(draft.grants().families()).containsExactly("order.*");

        JsonNode request = json("'name':'n','mode':'PULL','url':'https://hooks.example.test/in','ack':'STATUS',"
                + "'signing':[{'scheme':'webhook-id'}],'headers':{'X-A':'1'},'auth':{'type':'bearer','token':'t'},"
                + "'semantics':'AT_LEAST_ONCE','retry':{'attempts':2,'waitsSeconds':[60]},'retryStatuses':[404],"
                + "'limits':{'inFlight':1},'circuit':{'failures':5},'envelope':{'kind':'fixed'},'timeoutMs':1000,"
                + "'deadThreshold':3");
        assertThat(new JsonSchemas().validate("subscription", request)).isEmpty();
        assertThat(catchThrowableOfType(ApiProblem.class, () -> reader(Map.of()).read(request))
                        .errors())
                .allMatch(error -> error.code().equals("NOT_APPLICABLE"))
                .extracting(FieldError::pointer)
                .containsExactly(
                        "/ack",
                        "/auth",
                        "/circuit",
                        "/deadThreshold",
                        "/envelope",
                        "/headers",
                        "/limits",
                        "/retry",
                        "/retryStatuses",
                        "/semantics",
                        "/signing",
                        "/timeoutMs",
                        "/url");
    }

    @Test
    void brokersAreRefusedByName() {
        JsonNode request = json("'name':'n','mode':'BROKER'");
        assertThat(new JsonSchemas().validate("subscription", request)).isEmpty();
        assertThat(catchThrowableOfType(ApiProblem.class, () -> reader(Map.of()).read(request))
                        .errors())
                .extracting(FieldError::pointer, FieldError::code)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("/mode", "NOT_AVAILABLE"));
    }

    @ParameterizedTest
    @Tag("SB-1")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'signing':[{'scheme':'webhook-id','secret':'whsec_'}]            | /signing/0/secret",
                "'signing':[{'scheme':'webhook-id','secret':''}]                  | /signing/0/secret",
                "'signing':[{'scheme':'webhook-id','secret':'whsec_%%%'}]         | /signing/0/secret",
                "'signing':[{'scheme':'webhook-id'},{'scheme':'webhook-id','prefix':'Webhook'}] | /signing/1",
                "'headers':{'Host':'x'}                                           | /headers/Host",
                "'headers':{'x~/y':'a'}                                           | /headers/x~0~1y",
                "'headers':{'svix-id':'a'},'signing':[{'scheme':'webhook-id','prefix':'Svix'}] | /headers/svix-id",
                "'headers':{'X-A':'1','x-a':'2'}                                  | /headers/x-a",
                "'headers':{'X-A':'a\\r\\nX-Injected: 1'}                         | /headers/X-A",
                "'retry':{'attempts':7}                                           | /retry/attempts",
                "'retry':{'attempts':3,'waitsSeconds':[1]}                        | /retry/waitsSeconds",
                "'retry':{'waitsSeconds':[86399,1]}                               | /retry/waitsSeconds",
                "'match':[{'payload..x':1}]                                       | /match/0/payload..x",
                "'auth':{'type':'bearer','token':'a b'}                           | /auth/token",
                "'auth':{'type':'bearer','token':'a\\n'}                          | /auth/token",
                "'auth':{'type':'bearer','token':'a\\r\\nX-Injected: 1'}          | /auth/token",
                "'auth':{'type':'bearer','token':'\u00e9'}                            | /auth/token",
            })
    void faultsAreNamedWithTheirPlace(String member, String pointer) {
        assertThat(errors("," + member)).extracting(FieldError::pointer).contains(pointer);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'colour':'red'                    | /colour                | UNKNOWN_FIELD",
                "'timeoutMs':99                    | /timeoutMs             | OUT_OF_RANGE",
                "'timeoutMs':10001                 | /timeoutMs             | OUT_OF_RANGE",
                "'retry':{'jitter':1.5}            | /retry/jitter          | OUT_OF_RANGE",
                "'retry':{'waitsSeconds':[0]}      | /retry/waitsSeconds/0  | OUT_OF_RANGE",
                "'eventTypes':['Order.*']          | /eventTypes/0          | BAD_FORMAT",
                "'ack':'MAYBE'                     | /ack                   | NOT_ALLOWED",
                "'match':[{}]                      | /match/0               | TOO_FEW",
                "'auth':{'type':'basic'}           | /auth/type             | NOT_ALLOWED",
                "'auth':{'token':'t'}              | /auth/type             | REQUIRED",
                "'auth':{'type':'bearer'}          | /auth/token            | REQUIRED",
                "'auth':{'type':'bearer','token':''} | /auth/token          | TOO_SHORT",
                "'auth':{'type':'bearer','token':1}  | /auth/token          | WRONG_TYPE",
                "'auth':{'type':'bearer','token':'t','x':1} | /auth/x       | UNKNOWN_FIELD",
            })
    void theSchemaRefusesWhatHasNotTheRightShape(String member, String pointer, String code) {
        assertThat(new JsonSchemas().validate("subscription", json(URL + "," + member)))
                .extracting(FieldError::pointer, FieldError::code)
                .contains(org.assertj.core.groups.Tuple.tuple(pointer, code));
    }

    @Test
    @Tag("DL-2")
    void waitsAndAttemptsFillEachOtherIn() {
        assertThat(read(",'retry':{'attempts':3}").rules().retry().waitsSeconds())
                .containsExactly(60, 300);
        assertThat(read(",'retry':{'waitsSeconds':[1,2]}").rules().retry().attempts())
                .isEqualTo(3);
        assertThat(read(",'retry':{'attempts':1}").rules().retry().waitsSeconds())
                .isEmpty();
    }

    @Test
    @Tag("DL-2")
    void anAdministratorMayRaiseTheCeilings() {
        Map<String, String> raised =
                Map.of("ringfence.delivery.max-attempts", "8", "ringfence.delivery.max-age", "PT72H");
        SubscriptionDraft draft = reader(raised).read(json(URL + ",'retry':{'waitsSeconds':[1,1,1,1,1,1,90000]}"));
        assertThat(draft.rules().retry().attempts()).isEqualTo(8);
        assertThat(reader(raised).read(json(URL)).rules().retry().waitsSeconds())
                .containsExactly(60, 300, 1800, 7200, 21600, 21600, 21600);
    }

    @Test
    @Tag("DL-2")
    void whatIsNotGivenFitsIntoTheAgeAndWhatIsGivenIsBlamed() {
        Map<String, String> more = Map.of("ringfence.delivery.max-attempts", "20");
        RetryPolicy implied = reader(more).read(json(URL)).rules().retry();
        assertThat(implied.waitsSeconds()).containsExactly(60, 300, 1800, 7200, 21600, 21600, 21600);
        assertThat(implied.attempts()).isEqualTo(8);
        assertThat(catchThrowableOfType(
                                ApiProblem.class, () -> reader(more).read(json(URL + ",'retry':{'attempts':9}")))
                        .errors())
                .extracting(FieldError::pointer)
                .containsExactly("/retry/attempts");
        Map<String, String> least = Map.of("ringfence.delivery.max-age", "PT2S", "ringfence.delivery.waits", "1");
        assertThat(reader(least).read(json(URL)).rules().retry().attempts()).isEqualTo(2);
    }

    @Test
    @Tag("DL-2")
    void jitterOnlyAdds() {
        RetryPolicy policy = new RetryPolicy(List.of(60, 300), 0.5, 3);
        assertThat(policy.waitAfter(1, 0)).isEqualTo(Duration.ofSeconds(60));
        assertThat(policy.waitAfter(1, 1)).isEqualTo(Duration.ofSeconds(90));
        assertThat(policy.waitAfter(2, 0.5)).isEqualTo(Duration.ofSeconds(375));
    }

    @Test
    @Tag("HT-1")
    void aBearerTokenIsVisibleAsciiOfAtMost4096Characters() {
        String longest = "~!".repeat(2048);
        SubscriptionDraft draft = read(",'auth':{'type':'bearer','token':'" + longest + "'}");
        assertThat(draft.access().bearer()).isEqualTo(new BearerToken(longest));
        assertThat(draft.destination().access().bearer()).isTrue();
        assertThat(read("").access().bearer()).isNull();
        assertThat(read("").destination().access().bearer()).isFalse();
        JsonNode tooLong = json(URL + ",'auth':{'type':'bearer','token':'" + longest + "x'}");
        assertThat(new JsonSchemas().validate("subscription", tooLong))
                .extracting(FieldError::pointer)
                .containsExactly("/auth/token");
    }

    @Test
    @Tag("SB-1")
    void anAuthorizationServerIsNamedWithItsClient() {
        SubscriptionDraft draft = read(
                ",'auth':{'type':'oauth2','tokenUrl':'https://id.test/t','clientId':'me','clientSecret':'hunter 2'}");
        assertThat(draft.access().oauth())
                .isEqualTo(new OAuthClient(URI.create("https://id.test/t"), "me", "hunter 2"));
        assertThat(draft.access().bearer()).isNull();
        assertThat(draft.destination().access()).isEqualTo(new AccessTerms(false, true, null, null));
        assertThat(draft.toString()).doesNotContain("hunter");
    }

    @ParameterizedTest
    @Tag("SB-1")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'auth':{'type':'oauth2','tokenUrl':'ä b','clientId':'me','clientSecret':'s'}           | /auth/tokenUrl",
                "'auth':{'type':'oauth2','tokenUrl':'https://id.test','clientId':'é','clientSecret':'s'}  | /auth/clientId",
                "'auth':{'type':'oauth2','tokenUrl':'https://id.test','clientId':'i','clientSecret':'\\n'} | /auth/clientSecret",
                "'tls':{'ca':'x'}                                                                       | /tls/ca",
                "'tls':{'cert':'x'}                                                                     | /tls/cert",
                "'tls':{'key':'x'}                                                                      | /tls/key"
            })
    void accessThatCannotWorkIsRefusedWhereItIsConfigured(String member, String pointer) {
        assertThat(errors("," + member)).extracting(FieldError::pointer).containsExactly(pointer);
    }

    @ParameterizedTest
    @Tag("SB-1")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'auth':{'type':'oauth2','tokenUrl':'https://id.test','clientId':'i'}",
                "'auth':{'type':'oauth2','tokenUrl':'https://id.test','clientId':'i','clientSecret':'s','scope':'x'}",
                "'auth':{'type':'bearer','token':'t','clientId':'i'}",
                "'tls':{}",
                "'tls':{'ca':'x','password':'y'}",
                "'tls':{'ca':7}"
            })
    void accessOfAnotherShapeIsRefused(String member) {
        assertThat(new JsonSchemas().validate("subscription", json(URL + "," + member)))
                .isNotEmpty();
    }

    @Test
    @Tag("SB-1")
    void certificatesAreReadAndTheirEndsKept(@TempDir Path directory) throws Exception {
        TestPem pem = TestPem.make(directory);
        String all = ("'tls':{'ca':'" + pem.certificate() + "','cert':'" + pem.certificate() + "','key':'" + pem.key()
                        + "'}")
                .replace("\n", "\\n");
        SubscriptionDraft draft = read("," + all);
        assertThat(draft.destination().access()).isEqualTo(new AccessTerms(false, false, pem.expires(), pem.expires()));
        assertThat(draft.access().tls().key()).contains("PRIVATE KEY");
        assertThat(draft.toString()).doesNotContain("PRIVATE KEY");

        JsonNode plain = json("'name':'n','mode':'PUSH','url':'HTTP://hooks.example.test/'," + all);
        assertThat(catchThrowableOfType(ApiProblem.class, () -> reader(Map.of()).read(plain))
                        .errors())
                .extracting(FieldError::pointer, FieldError::code)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("/tls", "NEEDS_HTTPS"));
    }

    @Test
    @Tag("SC-2")
    void secretsAndAddressesDoNotShowInTexts() {
        SubscriptionDraft draft = read(
                ",'headers':{'X-Key':'topsecret'},'signing':[{'scheme':'webhook-id','secret':'hunter2hunter2'}],'auth':{'type':'bearer','token':'sesame'}");
        assertThat(draft.toString()).doesNotContain("hunter2", "sesame", "topsecret", "hooks.example");
    }

    @Test
    @Tag("DL-2")
    void aCeilingThatWasLoweredRefusesOnlyAChangeOfRetry() {
        JsonNode document = json(URL + ",'retry':{'attempts':5,'waitsSeconds':[1,2,3,4000]}");
        SubscriptionReader lowered = reader(Map.of(
                "ringfence.delivery.max-attempts",
                "3",
                "ringfence.delivery.max-age",
                "PT1H",
                "ringfence.delivery.waits",
                "1"));

        assertThat(lowered.patched(document, json("'name':'orders'"))
                        .rules()
                        .retry()
                        .waitsSeconds())
                .containsExactly(1, 2, 3, 4_000);
        assertThat(catchThrowableOfType(
                                ApiProblem.class, () -> lowered.patched(document, json("'retry':{'jitter':0.2}")))
                        .errors())
                .extracting(FieldError::pointer)
                .containsExactly("/retry/attempts", "/retry/waitsSeconds");
    }
}
