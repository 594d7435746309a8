package dev.ringfence.fence;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;

/** Fence keys as PostgreSQL takes them. */
final class Keys {

    private Keys() {}

    static Array array(Connection connection, Collection<FenceKey> keys) throws SQLException {
        return connection.createArrayOf(
                "bigint", keys.stream().map(FenceKey::value).toArray());
    }
}
