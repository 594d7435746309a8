package dev.ringfence.json;

import java.math.BigDecimal;

/**
 * What PostgreSQL's {@code jsonb} refuses: the NUL character, lone surrogates, and numbers beyond {@code numeric}
 * (131072 digits before the decimal point, 16383 after it). As {@code jsonb} writes exponents out, {@code 1e99999} takes
 * 100 kB there: all numbers of a document together may not need more than {@value #DIGITS_PER_DOCUMENT} digits.
 */
final class ValueChecks {

    enum Fault {
        NONE(""),
        NUL_CHARACTER("the character U+0000 cannot be stored"),
        LONE_SURROGATE("half of a surrogate pair is no character"),
        OUT_OF_RANGE("the number cannot be stored");

        private final String detail;

        Fault(String detail) {
            this.detail = detail;
        }

        String detail() {
            return detail;
        }
    }

    private static final int INTEGER_DIGITS = 131_072;
    private static final int FRACTION_DIGITS = 16_383;
    private static final int DIGITS_PER_DOCUMENT = 1 << 20;

    private long digits;

    static Fault text(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                return Fault.NUL_CHARACTER;
            }
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    return Fault.LONE_SURROGATE;
                }
                i++;
            }
        }
        return Fault.NONE;
    }

    Fault number(String text) {
        try {
            BigDecimal value = new BigDecimal(text);
            long before = Math.max(1L, (long) value.precision() - value.scale());
            long after = Math.max(0L, value.scale());
            digits += before + after;
            boolean fits = before <= INTEGER_DIGITS && after <= FRACTION_DIGITS && digits <= DIGITS_PER_DOCUMENT;
            return fits ? Fault.NONE : Fault.OUT_OF_RANGE;
        } catch (NumberFormatException e) {
            return Fault.OUT_OF_RANGE;
        }
    }
}
