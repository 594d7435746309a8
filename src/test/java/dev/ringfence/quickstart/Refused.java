package dev.ringfence.quickstart;

/** The quick start cannot go on, for a reason that one line tells and that the user can act on. */
final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refused(String line) {
        super(line);
    }
}
