package dev.ringfence.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;

/** The ways to write an IPv4 address that one parser or another understands. */
final class Notations {
    private static final List<LongFunction<String>> RADIXES = List.of(
            Long::toString,
            n -> "0" + Long.toOctalString(n),
            n -> "000" + Long.toOctalString(n),
            n -> "0x" + Long.toHexString(n),
            n -> "0X0" + Long.toHexString(n).toUpperCase(Locale.ROOT));

    private Notations() {}

    static List<String> of(String address) {
        List<String> all = new ArrayList<>(withinIpv4(address));
        String[] part = address.split("\\.");
        String high = String.format("%02x%02x", Integer.parseInt(part[0]), Integer.parseInt(part[1]));
        String low = String.format("%02x%02x", Integer.parseInt(part[2]), Integer.parseInt(part[3]));
        for (String tail : List.of(address, high + ":" + low)) {
            all.add("[::" + tail + "]");
            all.add("[::ffff:" + tail + "]");
            all.add("[::FFFF:" + tail + "]");
            all.add("[0:0:0:0:0:ffff:" + tail + "]");
            all.add("[0000:0000:0000:0000:0000:ffff:" + tail + "]");
            all.add("[::ffff:0:" + tail + "]");
            all.add("[64:ff9b::" + tail + "]");
            all.add("[64:ff9b:1::" + tail + "]");
            all.add("[2002:" + high + ":" + low + "::1]");
            all.add("[2001:0:" + high + ":" + low + "::1]");
            all.add("[fe80::5efe:" + tail + "]");
        }
        return all;
    }

    /** With one to four parts, and a dot at the end. */
    static List<String> withinIpv4(String address) {
        String[] part = address.split("\\.");
        long[] number = new long[4];
        for (int i = 0; i < 4; i++) {
            number[i] = Long.parseLong(part[i]);
        }
        List<String> all = new ArrayList<>();
        add(all, number);
        add(all, number[0], number[1], number[2] << 8 | number[3]);
        add(all, number[0], number[1] << 16 | number[2] << 8 | number[3]);
        add(all, number[0] << 24 | number[1] << 16 | number[2] << 8 | number[3]);
        return all;
    }

    private static void add(List<String> all, long... numbers) {
        List<String> begun = List.of("");
        for (int i = 0; i < numbers.length; i++) {
            List<String> longer = new ArrayList<>();
            for (String beginning : begun) {
                for (LongFunction<String> radix : RADIXES) {
                    longer.add(beginning + (i == 0 ? "" : ".") + radix.apply(numbers[i]));
                }
            }
            begun = longer;
        }
        all.addAll(begun);
        begun.forEach(host -> all.add(host + "."));
    }
}
