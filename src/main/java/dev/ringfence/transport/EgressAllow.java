package dev.ringfence.transport;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** What {@code ringfence.egress.allow} opens: ranges of addresses, host names, {@code *.suffix}. */
final class EgressAllow {
    private static final String NAME = "(?:\\*\\.)?[a-z0-9-]+(?:\\.[a-z0-9-]+)*";

    private final List<Cidr> ranges = new ArrayList<>();
    private final Set<String> names = new TreeSet<>();
    private final List<String> suffixes = new ArrayList<>();

    /** Throws IllegalArgumentException, naming it, where an entry is none of the three. */
    EgressAllow(List<String> entries) {
        entries.forEach(entry -> add(entry.strip().toLowerCase(Locale.ROOT)));
    }

    private void add(String entry) {
        Cidr range = Cidr.parseOrNull(entry);
        if (range != null) {
            ranges.add(range);
        } else if (!entry.matches(NAME) || IpText.looksNumeric(entry)) {
            throw new IllegalArgumentException(
                    "ringfence.egress.allow: " + entry + " is neither a range of addresses nor a host name");
        } else if (entry.startsWith("*.")) {
            suffixes.add(entry.substring(1));
        } else {
            names.add(entry);
        }
    }

    boolean allowsName(String host) {
        return names.contains(host) || suffixes.stream().anyMatch(host::endsWith);
    }

    boolean allowsAddress(InetAddress address) {
        return ranges.stream().anyMatch(range -> range.contains(address));
    }
}
