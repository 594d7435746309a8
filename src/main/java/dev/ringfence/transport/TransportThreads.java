package dev.ringfence.transport;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/** Threads of the server where it hands them out, plain daemon threads where there is no server. */
final class TransportThreads {
    private static final String MANAGED = "java:comp/DefaultManagedThreadFactory";

    private TransportThreads() {}

    static ThreadFactory named(String name) {
        ThreadFactory factory = factory();
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = factory.newThread(task);
            thread.setName("ringfence-" + name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    @SuppressWarnings("BanJNDI") // a constant name of the server's own
    private static ThreadFactory factory() {
        try {
            return InitialContext.doLookup(MANAGED);
        } catch (NamingException e) {
            return Thread::new;
        }
    }
}
