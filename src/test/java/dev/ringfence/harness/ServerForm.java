package dev.ringfence.harness;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** What differs between the servers that the same WAR runs on: where things lie, how the process starts, how it reports. */
sealed interface ServerForm permits WildFlyForm, PayaraForm {
    /** The server of this run: {@code -Dringfence.it.server.kind=wildfly} (default) or {@code payara}. */
    String KIND = System.getProperty("ringfence.it.server.kind", "wildfly");

    /** The form of {@link #KIND}. */
    static ServerForm chosen() {
        return switch (KIND) {
            case "wildfly" -> new WildFlyForm();
            case "payara" -> new PayaraForm();
            default -> throw new IllegalArgumentException("no such server: " + KIND + "; there are wildfly and payara");
        };
    }

    /** Makes the base directory as after an installation, without an application; keeps the transaction log of the last run. */
    void prepare(Path base, ServerPorts ports) throws IOException;

    /** Puts the WAR where the server takes it from when it starts; after {@link #prepare}. */
    void deploy(Path base, Path war) throws IOException;

    /**
     * The command that becomes the server's JVM itself, not a script that starts one.
     *
     * @param jvm options beside those that this server needs
     */
    List<String> command(Path base, ServerPorts ports, List<String> jvm) throws IOException;

    /** JVM options of a server that lives for minutes, most of them spent on its start. */
    List<String> brief();

    /** Whether the server has given up on the WAR. */
    boolean deploymentFailed(Path base);

    /** Readiness: 200 is up, 503 is down. */
    URI health(ServerPorts ports);

    /** Where this server's Batch runtime keeps its executions, a row each, with its {@code batchstatus}. */
    String batchExecutions();

    /** The server's own log. */
    Path log(Path base);

    /** What tells most about a start that failed. */
    Path console(Path base);
}
