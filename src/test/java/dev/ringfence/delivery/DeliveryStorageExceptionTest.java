package dev.ringfence.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryStorageExceptionTest {

    /** Who lost to another transaction may be told of its deed; who lost the database may not: nobody did anything. */
    @ParameterizedTest
    @CsvSource({
        "40001, true, true",
        "40P01, true, true",
        "08006, false, true",
        "57P01, false, true",
        "23505, false, false"
    })
    void a_lost_connection_is_worth_repeating_but_was_lost_to_nobody(String state, boolean lost, boolean repeat) {
        DeliveryStorageException thrown = new DeliveryStorageException("lock it", new SQLException("x", state));

        assertThat(thrown.lostToAnother()).isEqualTo(lost);
        assertThat(thrown.worthRepeating()).isEqualTo(repeat);
    }
}
