package dev.ringfence.harness;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Starts PostgreSQL before an integration test run, because the server that Arquillian manages reads the database's address
 * when it boots, and stops it after the last test. Unit test runs start nothing.
 */
public final class HarnessLifecycle implements LauncherSessionListener {
    private @org.jspecify.annotations.Nullable TestDatabase arquillian;

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        if (Boolean.getBoolean("ringfence.it")) {
            arquillian = TestDatabase.empty();
            System.setProperty("ringfence.it.db.url", arquillian.url());
            System.setProperty("ringfence.it.db.user", arquillian.user());
        }
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
        TestDatabase.stopServer();
    }
}
