package dev.ringfence.config;

/**
 * A configured secret whose text form never shows it (SC-2).
 *
 * @param text the secret as it was configured
 */
public record SecretValue(String text) {

    @Override
    public String toString() {
        return "***";
    }
}
