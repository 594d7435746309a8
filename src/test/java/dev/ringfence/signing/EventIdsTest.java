package dev.ringfence.signing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("SG-2")
class EventIdsTest {
    private static final Instant TIME = Instant.parse("2026-11-29T12:00:00.999Z");

    @Test
    void writesThePublishedKsuids() {
        // The example of the reference implementation's README, and its least and greatest values.
        assertThat(Ksuid.of(1_400_000_000L + 107_608_047L, HexFormat.of().parseHex("b5a1cd34b5f99d1154fb6853345c9735")))
                .isEqualTo("0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        assertThat(Ksuid.of(1_400_000_000L, new byte[16])).isEqualTo("000000000000000000000000000");
        assertThat(Ksuid.of(1_400_000_000L + 0xFFFF_FFFFL, HexFormat.of().parseHex("f".repeat(32))))
                .isEqualTo("aWgEPTl1tmebfsQzFP4bxwgy80V");
    }

    @Test
    void refusesTimesThatDoNotFit() {
        assertThatIllegalArgumentException().isThrownBy(() -> Ksuid.of(1_399_999_999L, new byte[16]));
        assertThatIllegalArgumentException().isThrownBy(() -> Ksuid.of(1_400_000_000L + (1L << 32), new byte[16]));
        assertThatIllegalArgumentException().isThrownBy(() -> Ksuid.of(1_500_000_000L, new byte[15]));
    }

    @Test
    void equalContentsOfOneSecondDiffer() {
        Set<String> ids = new HashSet<>();
        for (int ordinal = 0; ordinal < 10_000; ordinal++) {
            ids.add(EventIds.event(TIME, ordinal, new byte[32]));
        }
        assertThat(ids).hasSize(10_000).allMatch(id -> id.matches("evt_[0-9A-Za-z]{27}"));
    }

    @Test
    void contentsOneBitApartDifferEvenWhereTheOrdinalRepeats() {
        Set<String> ids = new HashSet<>(Set.of(EventIds.event(TIME, 7, new byte[32])));
        for (int bit = 0; bit < 256; bit++) {
            byte[] content = new byte[32];
            content[bit / 8] = (byte) (1 << (bit % 8));
            ids.add(EventIds.event(TIME, 7, content));
        }
        assertThat(ids).hasSize(257);
    }

    @Test
    void theSameInputsGiveTheSameIdAndKindsDiffer() {
        String event = EventIds.event(TIME, 7, new byte[32]);

        assertThat(EventIds.event(TIME, 7, new byte[32])).isEqualTo(event);
        assertThat(EventIds.message(TIME, 7, new byte[32])).startsWith("msg_").doesNotContain(event.substring(4));
    }

    @Test
    void idsSortBySecond() {
        assertThat(EventIds.event(TIME, 1, new byte[32]))
                .isLessThan(EventIds.event(TIME.plusSeconds(1), 0, new byte[32]));
    }
}
