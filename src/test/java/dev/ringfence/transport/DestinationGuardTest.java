package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.ringfence.time.NanoClock;
import dev.ringfence.transport.DestinationNotAllowed.Reason;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("HT-4")
class DestinationGuardTest {
    private final Map<String, String> names = new HashMap<>(Map.of(
            "public.test", "93.184.216.34,2606:2800:220:1::1",
            "mixed.test", "93.184.216.34,10.0.0.1",
            "inside.corp.test", "10.1.2.3",
            "mapped.test", "::ffff:127.0.0.1"));
    private DestinationGuard guard = guard();

    @AfterEach
    void stop() {
        guard.close();
    }

    private DestinationGuard guard(String... allow) {
        return new DestinationGuard(
                new EgressAllow(List.of(allow)), new NameResolver(this::addresses, new NanoClock(), Thread::new));
    }

    private InetAddress[] addresses(String host) throws UnknownHostException {
        String addresses = names.get(host);
        if (addresses == null) {
            throw new UnknownHostException(host);
        }
        return Arrays.stream(addresses.split(",")).map(IpText::parse).toArray(InetAddress[]::new);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://public.test",
                "HTTPS://Public.Test:8443/h?a=b",
                "http://93.184.216.34/h",
                "http://[2606:2800:220:1::1]:81/h"
            })
    void publicDestinationsPass(String url) {
        assertThatCode(() -> guard.checkAtConfiguration(url)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "ftp://public.test/, SCHEME",
        "javascript:alert(1), MALFORMED",
        "//public.test/, MALFORMED",
        "'', MALFORMED",
        "https:///h, HOST",
        "https://example.test:pw@10.0.0.5/h, USER_INFO",
        "https://@public.test/h, USER_INFO",
        "'https://example.test\\@10.0.0.5/', MALFORMED",
        "https://public.test:0/, PORT",
        "https://public.test:65536/, PORT",
        "https://public.test:/, PORT",
        "https://public.test:+80/, PORT",
        "https://public.test:80:80/, PORT",
        "https://public.test/h#frag, FRAGMENT",
        "'https://public.test/ h', MALFORMED",
        "https://public.test/%zz, MALFORMED",
        "https://public.test/é, MALFORMED",
        "https://bücher.test/, MALFORMED",
        "https://public。test/, MALFORMED",
        "https://public．test/, MALFORMED",
        "https://public｡test/, MALFORMED",
        "http://１２７.0.0.1/, MALFORMED",
        "http://127。0。0。1/, MALFORMED",
        "http://127%2e0%2e0%2e1/, HOST",
        "http://%31%32%37.0.0.1/, HOST",
        "http://ⓛocalhost/, MALFORMED",
        "https://public.test./, HOST",
        "http://127.0.0.1.:80/, HOST",
        "http://[::1]./, HOST",
        "http://[::1.]/, HOST",
        "http://[::1]x/, HOST",
        "http://[::ffff:127.0.0.1%251]/, HOST",
        "http://:80/, HOST",
        "http://?/, HOST",
        "http://10.0.0.5:80@public.test/, USER_INFO",
        "http://public.test:80@10.0.0.5/, USER_INFO",
        "https://-public.test/, HOST",
        "https://pub_lic.test/, HOST",
        "https://pub%2elic.test/, HOST",
        "https://public..test/, HOST",
        "http://127.1/, HOST",
        "http://2130706433/, HOST",
        "http://0x7f000001/, HOST",
        "http://0x7f.0.0.1/, HOST",
        "http://0177.0.0.1/, HOST",
        "http://127.0.0.01/, HOST",
        "http://127.0.0.1./, HOST",
        "http://1.2.3.4.5/, HOST",
        "http://256.1.1.1/, HOST",
        "http://[fe80::1%25eth0]/, HOST",
        "http://[127.0.0.1]/, HOST",
        "http://[public.test]/, HOST",
        "http://[::1/, HOST",
        "http://unknown.test/, NAME_NOT_RESOLVED",
        "http://mixed.test/, ADDRESS",
        "http://mapped.test/, ADDRESS",
        "http://127.0.0.1/, ADDRESS",
        "https://[::ffff:a9fe:a9fe]/h, ADDRESS",
        "https://[::ffff:127.0.0.1]/h, ADDRESS",
        "https://[0:0:0:0:0:ffff:7f00:1]/h, ADDRESS",
        "https://[::127.0.0.1]/h, ADDRESS"
    })
    void badDestinationsAreRefusedWithTheirReason(String url, Reason reason) {
        assertThatThrownBy(() -> guard.checkAtConfiguration(url))
                .asInstanceOf(type(DestinationNotAllowed.class))
                .extracting(DestinationNotAllowed::reason)
                .isEqualTo(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "10.0.0.1",
                "100.64.0.1",
                "100.127.255.255",
                "127.255.255.254",
                "168.63.129.16",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.8",
                "192.0.2.1",
                "192.88.99.1",
                "192.168.255.255",
                "198.18.0.1",
                "198.19.255.255",
                "198.51.100.1",
                "203.0.113.7",
                "224.0.0.1",
                "239.255.255.255",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::ffff:10.0.0.1",
                "::808:808",
                "64:ff9b::808:808",
                "64:ff9b:1::1",
                "100::1",
                "2001::1",
                "2001:20::1",
                "2001:db8::1",
                "2002:0808:0808::1",
                "3fff::1",
                "5f00::1",
                "fc00::1",
                "fd00:ec2::254",
                "fe80::1",
                "fec0::1",
                "ff02::1"
            })
    void specialAddressesAreKnown(String address) {
        assertThat(SpecialAddresses.contains(IpText.parse(address))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "192.167.255.255",
                "192.169.0.0",
                "198.17.255.255",
                "198.20.0.0",
                "223.255.255.255",
                "2001:200::1",
                "2001:4860:4860::8888",
                "2003::1",
                "2a00::1",
                "::ffff:8.8.8.8"
            })
    void theirNeighboursArePublic(String address) {
        assertThat(SpecialAddresses.contains(IpText.parse(address))).isFalse();
    }

    /** Each of the four parts decimal, octal or hexadecimal, the last ones joined, and all ways to carry IPv4 within IPv6. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "10.0.0.5", "169.254.169.254", "192.168.1.1", "100.64.0.1", "0.0.0.0"})
    void noNotationOfAPrivateAddressPasses(String address) {
        for (String host : Notations.of(address)) {
            for (String url : List.of("http://" + host + "/", "https://" + host + ":8443/h?a=b", "HTTP://" + host)) {
                assertThatThrownBy(() -> guard.checkAtConfiguration(url))
                        .as(url)
                        .isInstanceOf(DestinationNotAllowed.class);
                assertThat(permittedWhenConnecting(url)).as(url).isFalse();
            }
        }
    }

    private boolean permittedWhenConnecting(String url) {
        try {
            return guard.permitted(Destination.parse(url)).join() instanceof Lookup.Found;
        } catch (DestinationNotAllowed e) {
            return false;
        }
    }

    /** What some parser reads as an address is one name service away from it. */
    @Test
    void anotherNotationThanTheUsualIsRefusedForPublicAddressesToo() {
        for (String host : Notations.withinIpv4("93.184.216.34")) {
            if (!host.equals("93.184.216.34")) {
                assertThatThrownBy(() -> guard.checkAtConfiguration("http://" + host + "/"))
                        .as(host)
                        .isInstanceOf(DestinationNotAllowed.class);
            }
        }
    }

    @Test
    void whatFollowsTheAuthorityDecidesNothing() {
        assertThatCode(() -> guard.checkAtConfiguration("http://public.test?@10.0.0.5/"))
                .doesNotThrowAnyException();
        assertThat(Destination.parse("http://public.test?@10.0.0.5/").host()).isEqualTo("public.test");
        assertThat(Destination.parse("http://public.test/@10.0.0.5:80").host()).isEqualTo("public.test");
    }

    @Test
    void aSecondLookupIsJudgedAgain() {
        Destination destination = Destination.parse("https://rebound.test/");
        names.put("rebound.test", "93.184.216.34");
        assertThat(guard.permitted(destination).join()).isInstanceOf(Lookup.Found.class);

        names.put("rebound.test", "127.0.0.1");
        guard.close();
        guard = guard();
        assertThat(guard.permitted(destination).join()).isEqualTo(new Lookup.Refused());
    }

    @Test
    void theOperatorOpensRangesAndNames() {
        guard = guard("10.0.0.0/8", "::1", "*.corp.test", "Unknown.Test");

        assertThatCode(() -> guard.checkAtConfiguration("http://10.200.0.1/")).doesNotThrowAnyException();
        assertThatCode(() -> guard.checkAtConfiguration("http://mixed.test/")).doesNotThrowAnyException();
        assertThatCode(() -> guard.checkAtConfiguration("http://[::1]/")).doesNotThrowAnyException();
        assertThatCode(() -> guard.checkAtConfiguration("http://inside.corp.test/"))
                .doesNotThrowAnyException();
        assertThatCode(() -> guard.checkAtConfiguration("http://unknown.test/")).doesNotThrowAnyException();
        names.put("corp.test", "127.0.0.1");
        names.put("evilcorp.test", "127.0.0.1");
        for (String url :
                List.of("http://corp.test/", "http://evilcorp.test/", "http://11.0.0.1.test/", "http://[::2]/")) {
            assertThatThrownBy(() -> guard.checkAtConfiguration(url)).isInstanceOf(DestinationNotAllowed.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::1/129", "*", "*.", "a b", "127.1", "http://x", "x:80"
            })
    void aBadEntryOfTheAllowListStopsTheStart(String entry) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EgressAllow(List.of(entry)))
                .withMessageContaining(entry);
    }
}
