package dev.ringfence.wake;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What one node tells the others: {@code <node> <hint> …}, words with blanks between. Names of nodes have no blanks.
 *
 * @param node who tells; empty where that is not known
 * @param hints what to look at
 */
record Notice(String node, Set<Hint> hints) {
    Notice {
        hints = Set.copyOf(hints);
    }

    String text() {
        List<String> words = new ArrayList<>(List.of(node));
        EnumSet.allOf(Hint.class).stream()
                .filter(hints::contains)
                .map(Hint::name)
                .forEach(words::add);
        return String.join(" ", words);
    }

    /** A text that names no hint we know (of a newer node, or sent by hand) is a reason to look at everything. */
    static Notice parse(String text) {
        List<String> words = Arrays.asList(text.split(" ", -1));
        EnumSet<Hint> hints = EnumSet.noneOf(Hint.class);
        for (Hint hint : Hint.values()) {
            if (words.subList(1, words.size()).contains(hint.name())) {
                hints.add(hint);
            }
        }
        return hints.isEmpty() ? new Notice("", EnumSet.allOf(Hint.class)) : new Notice(words.get(0), hints);
    }
}
