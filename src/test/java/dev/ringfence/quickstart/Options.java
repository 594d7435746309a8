package dev.ringfence.quickstart;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What the command line asks for.
 *
 * @param port where the API listens; the port of the last start, else 8080, where it is not given
 * @param databaseUrl an existing database, without parameters; PostgreSQL is started where it is not given
 * @param home where data and keys are kept
 */
record Options(
        Optional<Integer> port, Optional<String> databaseUrl, String databaseUser, String databasePassword, Path home) {
    private static final List<String> SERVERS = List.of("wildfly", "payara");

    static Options fromSystemProperties() {
        property("ringfence.server").ifPresent(Options::checkServer);
        return new Options(
                property("ringfence.port").map(Options::port),
                property("ringfence.db.url").map(Options::url),
                property("ringfence.db.user").orElse("ringfence"),
                property("ringfence.db.password").orElse("ringfence"),
                Path.of(property("ringfence.home").orElse(".ringfence"))
                        .toAbsolutePath()
                        .normalize());
    }

    private static Optional<String> property(String name) {
        return Optional.ofNullable(System.getProperty(name)).map(String::strip).filter(value -> !value.isEmpty());
    }

    /** The build chooses the server; here a wrong name gets its answer. */
    private static void checkServer(String name) {
        if (!SERVERS.contains(name)) {
            throw new Refused("-Dringfence.server=" + name + " is no server: give wildfly or payara.");
        }
    }

    private static int port(String text) {
        try {
            int port = Integer.parseInt(text);
            if (port >= 1 && port <= 65535) {
                return port;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw new Refused("-Dringfence.port=" + text + " is no port: give a number from 1 to 65535.");
    }

    private static String url(String text) {
        if (!text.startsWith("jdbc:postgresql://") || text.contains("?")) {
            throw new Refused("-Dringfence.db.url takes jdbc:postgresql://host:port/database, without parameters.");
        }
        return text;
    }
}
