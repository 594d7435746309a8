package dev.ringfence.inbox;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.SQLException;

/** Deployed with the WAR by {@link InboxIT}: notes each event in a table, and fails on demand after having done so. */
@ApplicationScoped
public class CountingHandler implements InboxHandler {

    static final String CONSUMER = "handled";
    static final String POISON = "evt_poison";

    @Inject
    DataSources sources;

    @Override
    public String consumer() {
        return CONSUMER;
    }

    @Override
    public void handle(InboxEvent event) {
        try (var connection = sources.jta().getConnection();
                var statement = connection.prepareStatement("insert into inbox_effects (event_id) values (?)")) {
            statement.setString(1, event.eventId());
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        if (event.eventId().startsWith(POISON)) {
            throw new IllegalStateException("this handler does not like the event");
        }
    }
}
