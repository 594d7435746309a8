package dev.ringfence.config;

import java.io.IOException;
import java.net.InetAddress;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** A name for this process: the host's name, and a random end so that a restarted node is never taken for its old self. */
final class NodeName {

    private static final int HOST_CHARS = 80;

    private NodeName() {}

    static String generate() {
        String suffix = HexFormat.of()
                .toHexDigits(ThreadLocalRandom.current().nextLong())
                .substring(0, 8);
        return host() + "-" + suffix;
    }

    private static String host() {
        try {
            String host = InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9.-]", "_");
            return host.substring(0, Math.min(host.length(), HOST_CHARS));
        } catch (IOException e) {
            return "node";
        }
    }
}
