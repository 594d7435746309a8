package dev.ringfence.harness;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import org.wildfly.core.launcher.StandaloneCommandBuilder;

/** The provisioned WildFly: each server has a copy of its base directory, ports are system properties. */
final class WildFlyForm implements ServerForm {
    @Override
    public void prepare(Path base, ServerPorts ports) throws IOException {
        HarnessFiles.copy(
                HarnessFiles.wildfly().resolve("standalone"), base, Set.of("data", "log", "tmp", "deployments"));
        // What a killed server leaves in tmp and in its deployment markers is of no use to the next.
        HarnessFiles.delete(base.resolve("tmp"));
        HarnessFiles.delete(base.resolve("deployments"));
        Files.createDirectories(base.resolve("deployments"));
        Files.createDirectories(base.resolve("tmp"));
        Files.createDirectories(base.resolve("log"));
    }

    @Override
    public void deploy(Path base, Path war) throws IOException {
        Files.copy(war, base.resolve("deployments/ringfence.war"), StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public List<String> command(Path base, ServerPorts ports, List<String> jvm) {
        return StandaloneCommandBuilder.of(HarnessFiles.wildfly())
                .setJavaHome(Path.of(System.getProperty("java.home")))
                .setBaseDirectory(base)
                .setJavaOptions(jvm)
                .addJavaOption("-Djava.net.preferIPv4Stack=true")
                .addJavaOption("-Djava.awt.headless=true")
                .addJavaOption("-Djboss.modules.system.pkgs=org.jboss.byteman")
                .addServerArgument("-Djboss.http.port=" + ports.http())
                .addServerArgument("-Djboss.management.http.port=" + ports.management())
                .addServerArgument("-Djboss.node.name=" + base.getFileName())
                .addServerArgument("-Djboss.tx.node.id=n" + ports.http())
                .build();
    }

    /**
     * The second compiler's work would come too late to pay, and so would threads that collect garbage beside the others: this server
     * answers after 14 s of processor time instead of 34.
     */
    @Override
    public List<String> brief() {
        return List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
    }

    @Override
    public boolean deploymentFailed(Path base) {
        return Files.exists(base.resolve("deployments/ringfence.war.failed"));
    }

    /** On the management port. */
    @Override
    public URI health(ServerPorts ports) {
        return URI.create("http://127.0.0.1:" + ports.management() + "/health/ready");
    }

    @Override
    public String batchExecutions() {
        return "ringfence_batch.job_execution";
    }

    @Override
    public Path log(Path base) {
        return base.resolve("log/server.log");
    }

    @Override
    public Path console(Path base) {
        return base.resolve("log/console.log");
    }
}
