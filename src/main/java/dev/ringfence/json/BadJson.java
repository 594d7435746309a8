package dev.ringfence.json;

import java.util.List;

/** A document that {@link StrictJson} refuses. */
public final class BadJson extends RuntimeException {

    /** What kind of fault: not JSON at all, JSON that cannot be stored, or too much of it. */
    public enum Kind {
        MALFORMED,
        UNSUPPORTED_VALUE,
        TOO_LARGE
    }

    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final transient List<FieldError> errors;

    BadJson(Kind kind, List<FieldError> errors) {
        super(errors.get(0).code() + " at \"" + errors.get(0).pointer() + "\": "
                + errors.get(0).detail());
        this.kind = kind;
        this.errors = List.copyOf(errors);
    }

    BadJson(Kind kind, String pointer, String code, String detail) {
        this(kind, List.of(new FieldError(pointer, code, detail)));
    }

    public Kind kind() {
        return kind;
    }

    /** At least one error; several only for {@link Kind#UNSUPPORTED_VALUE}. */
    public List<FieldError> errors() {
        return errors;
    }

    /** Pointer of the first error. */
    public String pointer() {
        return errors.get(0).pointer();
    }

    /** Code of the first error. */
    public String code() {
        return errors.get(0).code();
    }
}
