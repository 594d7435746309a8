package dev.ringfence.config;

import java.util.List;

/** The configuration cannot be used: the message names every bad property, its value (never a secret) and its range. */
public final class InvalidSettings extends RuntimeException {

    private static final long serialVersionUID = 1L;

    InvalidSettings(List<String> faults) {
        super("Ringfence cannot start with this configuration: " + String.join("; ", faults));
    }
}
