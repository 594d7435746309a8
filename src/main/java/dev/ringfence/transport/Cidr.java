package dev.ringfence.transport;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** A range of addresses. Judges bits, never text. */
final class Cidr {
    private final byte[] network;
    private final int prefix;

    private Cidr(byte[] network, int prefix) {
        this.network = network;
        this.prefix = prefix;
    }

    /** Reads {@code address/prefix}, or a single address; throws IllegalArgumentException where it is neither. */
    static Cidr parse(String text) {
        int slash = text.indexOf('/');
        InetAddress address = IpText.parse(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            throw new IllegalArgumentException(text + " is no range of addresses");
        }
        byte[] network = address.getAddress();
        int prefix = slash < 0 ? network.length * Byte.SIZE : prefix(text, slash);
        if (prefix > network.length * Byte.SIZE) {
            throw new IllegalArgumentException(text + " has too long a prefix");
        }
        return new Cidr(network, prefix);
    }

    static @Nullable Cidr parseOrNull(String text) {
        return text.indexOf('/') < 0 && IpText.parse(text) == null ? null : parse(text);
    }

    private static int prefix(String text, int slash) {
        String digits = text.substring(slash + 1);
        if (!digits.matches("[0-9]{1,3}")) {
            throw new IllegalArgumentException(text + " has no prefix length");
        }
        return Integer.parseInt(digits);
    }

    boolean contains(InetAddress address) {
        byte[] bits = address.getAddress();
        if (bits.length != network.length) {
            return false;
        }
        int whole = prefix / Byte.SIZE;
        for (int i = 0; i < whole; i++) {
            if (bits[i] != network[i]) {
                return false;
            }
        }
        int rest = prefix % Byte.SIZE;
        return rest == 0 || (bits[whole] & 0xff) >> (Byte.SIZE - rest) == (network[whole] & 0xff) >> (Byte.SIZE - rest);
    }
}
