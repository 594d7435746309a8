package dev.ringfence.transport;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;

/** What a timer does again and again. One that fails is logged and keeps neither the others nor its own next time. */
record Chores(List<Runnable> all) implements Runnable {
    private static final Logger LOG = System.getLogger(Chores.class.getName());

    @Override
    public void run() {
        for (Runnable one : all) {
            try {
                one.run();
            } catch (RuntimeException | Error e) {
                LOG.log(Level.WARNING, "the transport could not clean up, and tries again soon: {0}", e.toString());
            }
        }
    }
}
