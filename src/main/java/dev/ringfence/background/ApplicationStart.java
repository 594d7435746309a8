package dev.ringfence.background;

import jakarta.inject.Inject;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;

/** The moment whose context {@link ServerContexts} keeps. */
@WebListener
public class ApplicationStart implements ServletContextListener {
    @Inject
    private ServerContexts contexts;

    @Override
    public void contextInitialized(ServletContextEvent start) {
        contexts.take();
    }
}
