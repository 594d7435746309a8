package dev.ringfence.transport;

/** TLS material that cannot be used. Its message may be shown to whoever gave the material: it repeats nothing of it. */
public final class TlsFault extends Exception {
    private static final long serialVersionUID = 1L;

    private final Part part;

    /** Which part is at fault. */
    public enum Part {
        CA,
        CERT,
        KEY
    }

    TlsFault(Part part, String message) {
        super(message);
        this.part = part;
    }

    public Part part() {
        return part;
    }
}
