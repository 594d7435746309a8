package dev.ringfence.quickstart;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/**
 * What was started and has to be stopped, newest first: the server before the database under it. Starting and stopping
 * exclude each other, so that a signal between two starts leaves nothing behind.
 */
final class Running {
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean stopping;

    /** From now on the end of this process, by whatever signal but SIGKILL, stops everything first. */
    void stopWithTheProcess() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "quickstart-stop"));
    }

    /** Starts something that is stopped with the rest; refuses once stopping has begun. */
    synchronized <T extends AutoCloseable> T start(Callable<T> start) {
        if (stopping) {
            throw new Refused("Stopped while starting.");
        }
        try {
            T resource = start.call();
            started.push(resource);
            return resource;
        } catch (Exception e) {
            throw new Refused("Cannot start: " + e.getMessage());
        }
    }

    private synchronized void stop() {
        stopping = true;
        try {
            while (!started.isEmpty()) {
                close(started.pop());
            }
        } finally {
            stopped.countDown();
        }
    }

    private static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            System.err.println("Not stopped cleanly: " + e.getMessage());
        }
    }

    boolean isStopping() {
        return stopping;
    }

    /** Waits for the stop that has begun. */
    void awaitStopped() {
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
