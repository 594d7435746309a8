package dev.ringfence.config;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

/** Makes the one {@link Settings} of the application, at start, so that a bad property stops the deployment (AD-2). */
@ApplicationScoped
public class SettingsProducer {

    @Produces
    @Singleton
    Settings settings() {
        Config config = ConfigProvider.getConfig();
        return Settings.from(
                name -> Optional.ofNullable(config.getConfigValue(name).getValue()));
    }

    void validateAtStart(@Observes @Initialized(ApplicationScoped.class) Object start, Settings settings) {
        System.getLogger(SettingsProducer.class.getName())
                .log(System.Logger.Level.INFO, "Ringfence starts as node {0}", settings.node());
    }
}
