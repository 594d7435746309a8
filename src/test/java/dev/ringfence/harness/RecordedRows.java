package dev.ringfence.harness;

import dev.ringfence.outbox.EventAt;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** Where the recorded events of a database are. */
public final class RecordedRows {

    private RecordedRows() {}

    /** All, in the order of their ordinals. */
    public static List<EventAt> of(TestDatabase database) {
        List<EventAt> events = new ArrayList<>();
        try (Connection connection = database.connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("select ordinal, recorded_at from outbox_events order by ordinal")) {
            while (rows.next()) {
                events.add(new EventAt(
                        rows.getLong(1), rows.getObject(2, OffsetDateTime.class).toInstant()));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return events;
    }
}
