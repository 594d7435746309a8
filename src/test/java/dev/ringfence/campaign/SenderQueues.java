package dev.ringfence.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the senders' kernel, which is ours, still holds of what was written to a port here. Linux drops the last packet of a handshake
 * while the queue of connections that wait to be accepted is full: the sender is connected then and has written, and the receiver sees
 * neither the connection nor the bytes before they are sent again, up to seconds later. Bytes in this table have left the sender.
 */
final class SenderQueues {
    private static final List<Path> TABLES = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
    /** Its queue holds the SYN; nothing can have been written yet. */
    private static final String SYN_SENT = "02";

    private SenderQueues() {}

    /** The local ports of the connections to that port whose bytes, or end, are not acknowledged yet. */
    static Set<Integer> unacknowledged(int port) {
        Set<Integer> ports = new HashSet<>();
        for (Path table : TABLES) {
            try {
                Files.readAllLines(table).stream().skip(1).forEach(line -> look(line, port, ports));
            } catch (IOException e) {
                throw new IllegalStateException("no table of connections", e);
            }
        }
        return ports;
    }

    /** {@code number: local:port remote:port state sent:received …}, all in hexadecimal. */
    private static void look(String line, int port, Set<Integer> ports) {
        String[] column = line.strip().split("\\s+");
        if (port(column[2]) == port
                && !column[3].equals(SYN_SENT)
                && Long.parseLong(column[4].substring(0, 8), 16) > 0) {
            ports.add(port(column[1]));
        }
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), 16);
    }
}
