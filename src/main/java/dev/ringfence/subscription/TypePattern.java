package dev.ringfence.subscription;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** How event types are named in a subscription's type list and in its grants (SB-2): {@code *}, {@code prefix.*} or one exact name. */
final class TypePattern {

    static final int MAX_LENGTH = 200;

    private static final Pattern SYNTAX = Pattern.compile("\\*|[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*(\\.\\*)?");

    private TypePattern() {}

    static boolean isValid(String pattern) {
        return pattern.length() <= MAX_LENGTH && SYNTAX.matcher(pattern).matches();
    }

    /** {@code order.*} takes {@code order.item.added.v1}, never {@code orders.item.added.v1}. */
    static boolean matches(String pattern, String eventName) {
        if (pattern.equals("*")) {
            return true;
        }
        if (pattern.endsWith(".*")) {
            return eventName.startsWith(pattern.substring(0, pattern.length() - 1));
        }
        return pattern.equals(eventName);
    }

    /** All patterns that match the type. */
    static Set<String> matching(String eventName) {
        Set<String> patterns = new HashSet<>(Set.of("*", eventName));
        for (int dot = eventName.indexOf('.'); dot >= 0; dot = eventName.indexOf('.', dot + 1)) {
            patterns.add(eventName.substring(0, dot) + ".*");
        }
        return patterns;
    }
}
