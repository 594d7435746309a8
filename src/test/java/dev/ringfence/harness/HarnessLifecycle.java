package dev.ringfence.harness;

import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.jspecify.annotations.Nullable;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Starts PostgreSQL before an integration test run, because the server that Arquillian manages reads the database's address
 * when it boots, and stops it after the last test. Unit test runs start nothing.
 */
public final class HarnessLifecycle implements LauncherSessionListener {
    /** Admin key of the server that Arquillian manages. */
    public static final String ADMIN_KEY = "rfk_arquillian-admin-key-of-the-test-run-0000";

    private static final String SECRETS_KEY = Base64.getEncoder().encodeToString(new byte[32]);

    private static @Nullable TestDatabase managed;
    private static @Nullable ServerProcess remote;

    /** The database of the server that Arquillian manages. */
    public static TestDatabase managedDatabase() {
        return Objects.requireNonNull(managed, "integration tests only");
    }

    /** The WAR of this build, to be deployed in the server that Arquillian manages. */
    public static WebArchive war() {
        return ShrinkWrap.createFromZipFile(WebArchive.class, HarnessFiles.war().toFile());
    }

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        if (Boolean.getBoolean("ringfence.it")) {
            managed = TestDatabase.empty();
            describeManagedServer(managed);
        }
    }

    /** Arquillian starts WildFly by itself; Payara must run before it comes, but where no test of this run shares it. */
    private static void describeManagedServer(TestDatabase database) {
        if (Boolean.getBoolean("ringfence.it.apart")) {
            return;
        }
        if (ServerForm.chosen() instanceof PayaraForm) {
            ServerProcess server = ServerProcess.named("arquillian")
                    .empty()
                    .database(database)
                    .config("ringfence.secrets.key", SECRETS_KEY)
                    .config("ringfence.bootstrap.admin-key", ADMIN_KEY)
                    .start();
            System.setProperty("ringfence.it.arquillian.managementPort", String.valueOf(server.managementPort()));
            remote = server;
        } else {
            describeWildFly(database);
        }
    }

    private static void describeWildFly(TestDatabase database) {
        int managementPort = ServerProcess.freePort();
        Map<String, String> properties = Map.of(
                "jboss.http.port", String.valueOf(ServerProcess.freePort()),
                "jboss.management.http.port", String.valueOf(managementPort),
                "jboss.tx.node.id", "arquillian",
                "ringfence.db.url", database.url(),
                "ringfence.db.user", database.user(),
                "ringfence.secrets.key", SECRETS_KEY,
                "ringfence.bootstrap.admin-key", ADMIN_KEY);
        System.setProperty("ringfence.it.arquillian.managementPort", String.valueOf(managementPort));
        System.setProperty(
                "ringfence.it.arquillian.options",
                properties.entrySet().stream()
                        .map(property -> "-D" + property.getKey() + "=" + property.getValue())
                        .collect(Collectors.joining(" ")));
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
        if (remote != null) {
            remote.close();
        }
        TestDatabase.stopServer();
    }
}
