package dev.ringfence.outbox;

import java.util.regex.Pattern;

/**
 * Name of a published event: {@code context.aggregate.fact.vN}, lower snake case, version at least 1 (EV-2). The context is
 * the event's producer.
 */
public record EventName(String context, String aggregate, String fact, int version) {
    /** Longest name, in characters. */
    public static final int MAX_LENGTH = 200;

    private static final int PARTS = 4;
    private static final Pattern PART = Pattern.compile("[a-z][a-z0-9]*(?:_[a-z0-9]+)*");
    private static final Pattern VERSION = Pattern.compile("v[1-9][0-9]{0,8}");

    /** What {@link #parse} makes of a text. */
    public sealed interface Parsed {
        /** A name that may be published. */
        record Valid(EventName name) implements Parsed {}

        /** Not a name; {@code reason} is a sentence for the producer. */
        record Refused(String reason) implements Parsed {}
    }

    /** Reads a name; what is wrong with it is an answer, not an exception. */
    public static Parsed parse(String text) {
        if (text.length() > MAX_LENGTH) {
            return refused("An event name has at most " + MAX_LENGTH + " characters.");
        }
        String[] parts = text.split("\\.", -1);
        if (parts.length != PARTS) {
            return refused(
                    "An event name has four parts, context.aggregate.fact.vN; this one has " + parts.length + ".");
        }
        for (int i = 0; i < PARTS - 1; i++) {
            if (!PART.matcher(parts[i]).matches()) {
                return refused(
                        "Part " + (i + 1)
                                + " of an event name is lower snake case: it starts with a letter, has only a-z, 0-9 and single underscores, and does not end with one.");
            }
        }
        if (!VERSION.matcher(parts[PARTS - 1]).matches()) {
            return refused("The last part of an event name is its version: v1, v2, … without leading zeros.");
        }
        return new Parsed.Valid(new EventName(parts[0], parts[1], parts[2], Integer.parseInt(parts[3].substring(1))));
    }

    private static Parsed refused(String reason) {
        return new Parsed.Refused(reason);
    }

    /** The bounded context that emits the event (EV-3 {@code producer}). */
    public String producer() {
        return context;
    }

    /** The name as it is written. */
    @Override
    public String toString() {
        return context + '.' + aggregate + '.' + fact + ".v" + version;
    }
}
