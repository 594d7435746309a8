package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * One text of an envelope template, taken apart: what stands there literally and, between two pairs of braces, where to look a value up.
 */
record TemplateText(List<Part> parts) {

    private static final String OPEN = "{{";
    private static final String CLOSE = "}}";
    private static final Pattern DOT = Pattern.compile(".", Pattern.LITERAL);

    /** A piece of the text. */
    sealed interface Part {}

    /** Stands for itself. */
    record Literal(String text) implements Part {}

    /** Stands for the value at this path. */
    record Path(List<String> names) implements Part {

        Path {
            names = List.copyOf(names);
        }

        /** The value, missing where there is none. */
        JsonNode in(JsonNode values) {
            JsonNode node = values;
            for (String name : names) {
                node = node.path(name);
            }
            return node;
        }
    }

    /** A text that is no template. The message may be shown. */
    static final class Fault extends Exception {
        private static final long serialVersionUID = 1L;
        private final String code;

        Fault(String code, String message) {
            super(message);
            this.code = code;
        }

        String code() {
            return code;
        }
    }

    TemplateText {
        parts = List.copyOf(parts);
    }

    /** Whether the text holds a placeholder, well-formed or not. */
    static boolean isIn(String text) {
        return text.contains(OPEN);
    }

    /**
     * Takes the text apart.
     *
     * @throws Fault where a placeholder has no end, holds no path, or a path that no event has
     */
    static TemplateText parse(String text) throws Fault {
        List<Part> parts = new ArrayList<>();
        int place = 0;
        for (int open = text.indexOf(OPEN); open >= 0; open = text.indexOf(OPEN, place)) {
            int close = text.indexOf(CLOSE, open);
            if (close < 0) {
                throw new Fault("BAD_PLACEHOLDER", "A placeholder is not closed.");
            }
            literal(parts, text.substring(place, open));
            parts.add(path(text.substring(open + OPEN.length(), close).strip()));
            place = close + CLOSE.length();
        }
        literal(parts, text.substring(place));
        return new TemplateText(parts);
    }

    private static void literal(List<Part> parts, String text) {
        if (!text.isEmpty()) {
            parts.add(new Literal(text));
        }
    }

    private static Path path(String text) throws Fault {
        if (!MatchFilter.isPath(text) || text.indexOf('{') >= 0) {
            throw new Fault("BAD_PLACEHOLDER", "A placeholder holds one dotted path.");
        }
        List<String> names = DOT.splitAsStream(text).toList();
        if (!TemplateValues.known(names)) {
            throw new Fault("UNKNOWN_FIELD", "No event has such a field.");
        }
        return new Path(names);
    }
}
