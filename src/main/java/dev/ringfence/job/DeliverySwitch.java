package dev.ringfence.job;

import dev.ringfence.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/**
 * Pauses and resumes delivery on this node, fan-out included. Pausing finishes what is under way, starts nothing new, and cancels
 * nothing (RT-2).
 */
@ApplicationScoped
public class DeliverySwitch {
    private volatile boolean on;

    @Inject
    public DeliverySwitch(Settings settings) {
        this.on = settings.deliveryEnabled();
    }

    /** For the container's proxy, which never uses what it holds. */
    DeliverySwitch() {}

    public boolean on() {
        return on;
    }

    public void pause() {
        on = false;
    }

    public void resume() {
        on = true;
    }
}
