package dev.ringfence.harness;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The Payara that {@link PayaraDomain} set up: each server has a copy of its domain, ports are written into the copy. */
final class PayaraForm implements ServerForm {
    private static final Pattern NOT_OURS =
            Pattern.compile("-Xmx.*|-Dorg\\.glassfish\\.additionalOSGiBundlesToStart=.*");

    @Override
    public void prepare(Path base, ServerPorts ports) throws IOException {
        PayaraDomain domain = PayaraDomain.ready();
        for (String stale : List.of("config", "applications", "autodeploy", "generated")) {
            HarnessFiles.delete(base.resolve(stale));
        }
        // The bundle cache is the largest part and the same for all: copied once.
        boolean first = !Files.exists(base.resolve("osgi-cache"));
        Set<String> always = Set.of("applications", "autodeploy", "generated", "logs");
        Set<String> again = Set.of("applications", "autodeploy", "generated", "logs", "osgi-cache", "lib", "docroot");
        HarnessFiles.copy(domain.directory(), base, first ? always : again);
        Files.createDirectories(base.resolve("autodeploy"));
        Files.createDirectories(base.resolve("logs"));
        Path configuration = base.resolve("config/domain.xml");
        Files.writeString(configuration, domain.withPorts(Files.readString(configuration), ports));
    }

    @Override
    public void deploy(Path base, Path war) throws IOException {
        Files.copy(war, base.resolve("autodeploy/ringfence.war"), StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public List<String> command(Path base, ServerPorts ports, List<String> jvm) throws IOException {
        PayaraDomain domain = PayaraDomain.ready();
        List<String> command = new ArrayList<>();
        for (String part : domain.launchCommand()) {
            if (!NOT_OURS.matcher(part).matches()) {
                command.add(part.replace(domain.directory().toString(), base.toString()));
            }
        }
        command.add(1, "-Djava.net.preferIPv4Stack=true");
        command.addAll(1, jvm);
        return command;
    }

    /** The second compiler's work would come too late to pay. */
    @Override
    public List<String> brief() {
        return List.of("-XX:TieredStopAtLevel=1");
    }

    @Override
    public boolean deploymentFailed(Path base) {
        return Files.exists(base.resolve("autodeploy/ringfence.war_deployFailed"));
    }

    /** On the application's port. */
    @Override
    public URI health(ServerPorts ports) {
        return URI.create("http://127.0.0.1:" + ports.http() + "/health/ready");
    }

    @Override
    public String batchExecutions() {
        return "ringfence_batch.jbatch_executioninstancedata";
    }

    @Override
    public Path log(Path base) {
        return base.resolve("logs/server.log");
    }

    @Override
    public Path console(Path base) {
        return log(base);
    }
}
