package dev.ringfence.outbox;

import dev.ringfence.erasure.ErasureRepository;
import dev.ringfence.erasure.TableEraser;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;

/** Erases the keys of a tenant's events, and with them their deliveries' keys and what the inbox noted of them. */
@Dependent
public class EventKeyEraser extends TableEraser {

    @Inject
    EventKeyEraser(ErasureRepository rows) {
        super(rows, "event_keys", 30);
    }
}
