package dev.ringfence.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("FN-1")
class FenceKeyTest {

    /** Computed with another implementation: hashlib and struct of Python. */
    @ParameterizedTest
    @CsvSource({
        "00000000-0000-0000-0000-000000000001, a, 1c2b7d651a9f54fd49a703fc8d9afb660a480f585008c40946bab95f2978128a, 2029853930252358909",
        "7b0c9e5e-3c0e-4a55-9f3b-2f8f5d0a1c11, Läden/東京 €, 6ca8092917e80997600c53d07a8477ce0fcd5c195b0f3018d4ad868bf64eeb9f, 7829518024282999191",
        "7b0c9e5e-3c0e-4a55-9f3b-2f8f5d0a1c11, shop-1, 06fb2d99c2badfef544d489662451a3a2654363a0021d4b580dbfc729ccf4cdb, 503045921802215407"
    })
    void key_is_the_first_64_bits_of_the_hash(UUID app, String tenant, String hash, long key) {
        assertThat(HexFormat.of().formatHex(FenceKey.hash(app, tenant))).isEqualTo(hash);
        assertThat(FenceKey.of(app, tenant)).isEqualTo(new FenceKey(key));
    }

    @Test
    void the_length_prefix_keeps_neighbours_apart() {
        UUID app = UUID.fromString("7b0c9e5e-3c0e-4a55-9f3b-2f8f5d0a1c11");

        assertThat(FenceKey.of(app, "a"))
                .isNotEqualTo(FenceKey.of(app, "a\u0000"))
                .isNotEqualTo(FenceKey.of(app, "A"));
        assertThat(FenceKey.hash(app, "\u00e9")).isNotEqualTo(FenceKey.hash(app, "e\u0301"));
    }
}
