package dev.ringfence.api;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The {@code traceparent} header of W3C Trace Context, level 1 (SG-5). */
final class TraceParent {

    static final String HEADER = "traceparent";

    private static final Pattern SYNTAX =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

    private TraceParent() {}

    static @Nullable String accept(@Nullable String header) {
        return header != null && SYNTAX.matcher(header).matches() ? header : null;
    }
}
