package dev.ringfence.wake;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What one node tells the others: {@code <node> <hint> … cancel=<tenant>,…}, words with blanks between. Names of nodes have no blanks.
 *
 * @param node who tells; empty where that is not known
 * @param hints what to look at
 * @param cancelled narrow keys of tenants whose work is to be dropped, at most {@link #MOST_CANCELLED}
 */
record Notice(String node, Set<Hint> hints, Set<Long> cancelled) {
    /** So that the text stays well below what PostgreSQL takes. */
    static final int MOST_CANCELLED = 300;

    private static final String CANCEL = "cancel=";
    private static final Pattern IDS = Pattern.compile("[0-9]{1,18}(,[0-9]{1,18})*");

    Notice {
        hints = Set.copyOf(hints);
        cancelled = Set.copyOf(cancelled);
    }

    Notice(String node, Set<Hint> hints) {
        this(node, hints, Set.of());
    }

    boolean empty() {
        return hints.isEmpty() && cancelled.isEmpty();
    }

    String text() {
        List<String> words = new ArrayList<>(List.of(node));
        EnumSet.allOf(Hint.class).stream()
                .filter(hints::contains)
                .map(Hint::name)
                .forEach(words::add);
        if (!cancelled.isEmpty()) {
            words.add(CANCEL
                    + new TreeSet<>(cancelled).stream().map(String::valueOf).collect(Collectors.joining(",")));
        }
        return String.join(" ", words);
    }

    /** A text that names nothing we know (of a newer node, or sent by hand) is a reason to look at everything. */
    static Notice parse(String text) {
        List<String> words = Arrays.asList(text.split(" ", -1));
        List<String> said = words.subList(1, words.size());
        EnumSet<Hint> hints = EnumSet.noneOf(Hint.class);
        for (Hint hint : Hint.values()) {
            if (said.contains(hint.name())) {
                hints.add(hint);
            }
        }
        Notice notice = new Notice(words.get(0), hints, cancelled(said));
        return notice.empty() ? new Notice("", EnumSet.allOf(Hint.class)) : notice;
    }

    private static Set<Long> cancelled(List<String> said) {
        Set<Long> ids = new LinkedHashSet<>();
        for (String word : said) {
            String list = word.startsWith(CANCEL) ? word.substring(CANCEL.length()) : "";
            if (IDS.matcher(list).matches()) {
                Arrays.stream(list.split(",", -1)).map(Long::valueOf).forEach(ids::add);
            }
        }
        return ids;
    }
}
