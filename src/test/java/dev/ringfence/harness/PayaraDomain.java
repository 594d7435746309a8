package dev.ringfence.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A domain of Payara with {@code server-config/payara} applied, the way an administrator applies it. It is made once and kept until
 * the scripts change or the build is cleaned; servers run on copies.
 */
public final class PayaraDomain {
    private static final String NAME = "ringfence";
    private static final int HTTP = 80;
    private static final int ADMIN = 48;
    private static final int JMS = 76;
    private static final Path SETUP = Path.of("server-config/payara/ringfence.asadmin");
    private static final Pattern FAILED = Pattern.compile("(?m)^Command \\S+ failed\\.$");

    /** What a domain of tests does not need, so that copies of it run side by side. */
    private static final String TRIM = """
            set-hazelcast-configuration --enabled=false --dynamic=false
            set configs.config.server-config.network-config.network-listeners.network-listener.http-listener-2.enabled=false
            set configs.config.server-config.iiop-service.iiop-listener.orb-listener-1.enabled=false
            set configs.config.server-config.iiop-service.iiop-listener.SSL.enabled=false
            set configs.config.server-config.iiop-service.iiop-listener.SSL_MUTUALAUTH.enabled=false
            set configs.config.server-config.admin-service.jmx-connector.system.enabled=false
            """;

    private final Path directory;

    private PayaraDomain(Path directory) {
        this.directory = directory;
    }

    /** Makes the domain where it is absent or of another script. Run by the build before the integration tests. */
    public static void main(String[] arguments) {
        ready();
    }

    /** The domain, made where it is absent. */
    static synchronized PayaraDomain ready() {
        Path directory = HarnessFiles.payaraDomains().resolve(NAME);
        PayaraDomain domain = new PayaraDomain(directory);
        try {
            String wanted = Files.readString(HarnessFiles.project().resolve(SETUP)) + TRIM;
            Path applied = directory.resolve("applied.asadmin");
            if (!Files.exists(applied) || !Files.readString(applied).equals(wanted)) {
                domain.make();
                Files.writeString(applied, wanted);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return domain;
    }

    Path directory() {
        return directory;
    }

    /** The server's JVM as the server's own launcher would start it, a part a line. */
    List<String> launchCommand() throws IOException {
        return Files.readAllLines(launchFile());
    }

    private Path launchFile() {
        return directory.resolve("launch.txt");
    }

    private Path portBaseFile() {
        return directory.resolve("port-base.txt");
    }

    /** The configuration of a copy that listens elsewhere. */
    String withPorts(String configuration, ServerPorts ports) throws IOException {
        int base = Integer.parseInt(Files.readString(portBaseFile()));
        return configuration
                .replace(quoted(base + HTTP), quoted(ports.http()))
                .replace(quoted(base + ADMIN), quoted(ports.management()))
                .replace(quoted(base + JMS), quoted(ServerProcess.freePort()));
    }

    private static String quoted(int port) {
        return "\"" + port + "\"";
    }

    /** A hundred ports of which those that a domain opens at once are free now. */
    private static int freePortBase() {
        return IntStream.iterate(28_000, base -> base + 100)
                .limit(200)
                .filter(base -> IntStream.of(HTTP, ADMIN, JMS, 81, 86, 37, 38, 39, 66)
                        .allMatch(offset -> ServerProcess.isFree(base + offset)))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no free ports for a domain"));
    }

    private void make() throws IOException {
        Path domains = directory.getParent();
        HarnessFiles.delete(directory);
        Files.createDirectories(domains);
        int ports = freePortBase();
        asadmin(
                "--user",
                "admin",
                "create-domain",
                "--nopassword=true",
                "--portbase",
                String.valueOf(ports),
                "--domaindir",
                domains.toString(),
                NAME);
        Files.writeString(portBaseFile(), String.valueOf(ports));
        Path trim = Files.writeString(directory.resolve("trim.asadmin"), TRIM);
        asadmin("start-domain", "--domaindir", domains.toString(), NAME);
        try {
            remote(ports, "add-library", HarnessFiles.driver().toString());
            remote(
                    ports,
                    "multimode",
                    "--file",
                    HarnessFiles.project().resolve(SETUP).toString());
            remote(ports, "multimode", "--file", trim.toString());
        } finally {
            asadmin("stop-domain", "--kill=true", "--domaindir", domains.toString(), NAME);
        }
        String dump = asadmin("start-domain", "--dry-run", "--domaindir", domains.toString(), NAME);
        Files.write(
                launchFile(),
                dump.lines().skip(1).takeWhile(line -> !line.isBlank()).toList());
    }

    private static void remote(int ports, String... command) throws IOException {
        List<String> all = new ArrayList<>(List.of("--interactive=false", "--port", String.valueOf(ports + ADMIN)));
        all.addAll(List.of(command));
        asadmin(all.toArray(String[]::new));
    }

    /** Runs a command of the server's own tool; one that fails, even one line of a file, fails the build. */
    private static String asadmin(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                HarnessFiles.payara()
                        .resolve("glassfish/lib/client/appserver-cli.jar")
                        .toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(5, TimeUnit.MINUTES)
                    || process.exitValue() != 0
                    || FAILED.matcher(output).find()) {
                process.destroyForcibly();
                throw new IOException("asadmin " + String.join(" ", arguments) + " failed:\n" + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return output;
    }
}
