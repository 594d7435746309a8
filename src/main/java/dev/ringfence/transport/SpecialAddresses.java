package dev.ringfence.transport;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;

/**
 * Which addresses are no public unicast ones (HT-4): the registries of special-purpose addresses for IPv4 and IPv6, and
 * those at which clouds serve metadata. A list of our own, because the JDK's predicates miss carrier-grade NAT, NAT64
 * and others.
 */
final class SpecialAddresses {
    private static final Cidr IPV6_UNICAST = Cidr.parse("2000::/3");

    private static final List<Cidr> SPECIAL = List.of(
                    "0.0.0.0/8", // this network
                    "10.0.0.0/8", // private
                    "100.64.0.0/10", // carrier-grade NAT
                    "127.0.0.0/8", // loopback
                    "168.63.129.16/32", // a cloud's host agent
                    "169.254.0.0/16", // link-local, metadata
                    "172.16.0.0/12", // private
                    "192.0.0.0/24", // protocol assignments
                    "192.0.2.0/24", // documentation
                    "192.31.196.0/24", // AS112
                    "192.52.193.0/24", // AMT
                    "192.88.99.0/24", // 6to4 relays
                    "192.168.0.0/16", // private
                    "192.175.48.0/24", // AS112
                    "198.18.0.0/15", // benchmarks
                    "198.51.100.0/24", // documentation
                    "203.0.113.0/24", // documentation
                    "224.0.0.0/4", // multicast
                    "240.0.0.0/4", // reserved, broadcast
                    "2001::/23", // protocol assignments, Teredo, ORCHID
                    "2001:db8::/32", // documentation
                    "2002::/16", // 6to4
                    "2620:4f:8000::/48", // AS112
                    "3fff::/20") // documentation
            .stream()
            .map(Cidr::parse)
            .toList();

    private SpecialAddresses() {}

    /** Whether an address is anything but public unicast. Of IPv6 only 2000::/3 is, so mapped, NAT64, local… are not. */
    static boolean contains(InetAddress address) {
        if (address instanceof Inet6Address && !IPV6_UNICAST.contains(address)) {
            return true;
        }
        return SPECIAL.stream().anyMatch(range -> range.contains(address));
    }
}
