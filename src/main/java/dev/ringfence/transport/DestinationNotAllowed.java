package dev.ringfence.transport;

/** A URL that nothing will be sent to (HT-4). Its message may be shown to whoever gave the URL. */
public final class DestinationNotAllowed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why not. */
    public enum Reason {
        /** No absolute URL, or one with characters that do not belong there. */
        MALFORMED("the URL is malformed"),
        /** Neither http nor https. */
        SCHEME("the scheme is neither http nor https"),
        /** Credentials before the host. */
        USER_INFO("the URL holds user information"),
        /** No port from 1 to 65535. */
        PORT("the port is not between 1 and 65535"),
        /** A part that is never sent. */
        FRAGMENT("the URL has a fragment"),
        /** No host name in ASCII (write others in their xn-- form), nor an address in its usual form. */
        HOST("the host is neither a host name in ASCII nor an IP address in its usual form"),
        /** The name has no address now. */
        NAME_NOT_RESOLVED("the host name could not be resolved"),
        /** One of the host's addresses is private, local or otherwise special, and not opened by the operator. */
        ADDRESS("the host has an address that is not public");

        private final String text;

        Reason(String text) {
            this.text = text;
        }
    }

    DestinationNotAllowed(Reason reason) {
        super(reason.text, null, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
