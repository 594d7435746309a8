package dev.ringfence.transport;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** IP addresses in text. Never asks a name service. */
final class IpText {
    private static final String OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    private static final Pattern IPV4 = Pattern.compile(OCTET + "(?:\\." + OCTET + "){3}");
    private static final Pattern IPV6 = Pattern.compile("(?=[^:]*:)[0-9A-Fa-f:.]{2,45}");
    private static final Pattern ENDS_IN_NUMBER = Pattern.compile("(?:.*\\.)?(?:[0-9]+|0[xX][0-9A-Fa-f]*)\\.?");

    private IpText() {}

    /** The address, or null where the text is neither plain dotted IPv4 nor IPv6 without zone. Mapped ones become IPv4. */
    static @Nullable InetAddress parse(String text) {
        boolean ipv6 = IPV6.matcher(text).matches();
        if (!ipv6 && !IPV4.matcher(text).matches()) {
            return null;
        }
        try {
            return InetAddress.getByName(ipv6 ? "[" + text + "]" : text);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** Whether some parser may take a host for an IPv4 address: {@code 127.1}, {@code 0x7f000001}, {@code 2130706433}. */
    static boolean looksNumeric(String host) {
        return ENDS_IN_NUMBER.matcher(host).matches();
    }
}
