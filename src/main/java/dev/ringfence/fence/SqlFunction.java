package dev.ringfence.fence;

import java.sql.SQLException;

/** Work on a connection or on what was read from it. */
@FunctionalInterface
public interface SqlFunction<A, R> {

    R apply(A argument) throws SQLException;
}
