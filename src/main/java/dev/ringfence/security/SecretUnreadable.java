package dev.ringfence.security;

/** A sealed secret that cannot be opened: damaged, moved, or sealed with another {@code ringfence.secrets.key}. */
public final class SecretUnreadable extends RuntimeException {

    private static final long serialVersionUID = 1L;
    private static final String TEXT =
            "A stored secret cannot be read. Is ringfence.secrets.key the one it was stored with?";

    SecretUnreadable() {
        super(TEXT);
    }

    SecretUnreadable(Throwable cause) {
        super(TEXT, cause);
    }
}
