package dev.ringfence.api;

import jakarta.inject.Inject;
import jakarta.servlet.ServletRequestEvent;
import jakarta.servlet.ServletRequestListener;
import jakarta.servlet.annotation.WebListener;
import java.time.Clock;
import java.time.temporal.ChronoUnit;

/**
 * Notes when a request came in (LC-3). A request listener is the first code of ours that a server runs: before the
 * authentication mechanism, before every filter, on WildFly and on Payara.
 */
@WebListener
public class RequestStartListener implements ServletRequestListener {

    /** The request attribute that holds the {@link java.time.Instant}, cut to microseconds. */
    static final String ATTRIBUTE = "dev.ringfence.receivedAt";

    @Inject
    Clock clock;

    @Override
    public void requestInitialized(ServletRequestEvent event) {
        event.getServletRequest().setAttribute(ATTRIBUTE, clock.instant().truncatedTo(ChronoUnit.MICROS));
    }
}
