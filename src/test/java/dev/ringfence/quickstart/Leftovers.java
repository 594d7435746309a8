package dev.ringfence.quickstart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Processes of a quick start that was killed before it could stop them. A process counts as one of ours only where its id and
 * its command both fit, because ids are used again.
 */
final class Leftovers {
    private Leftovers() {}

    /** Ends the server and the PostgreSQL that an earlier start on this home left running. */
    static void end(Home home) {
        home.find("server.pid")
                .flatMap(Leftovers::process)
                .filter(process ->
                        commandOf(process).contains(home.path("server").toString()))
                .ifPresent(Leftovers::end);
        postmaster(home.path("postgres").resolve("postmaster.pid"))
                .flatMap(Leftovers::process)
                .filter(process -> commandOf(process).contains("postgres"))
                .ifPresent(Leftovers::end);
    }

    private static Optional<String> postmaster(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file).stream().findFirst() : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<ProcessHandle> process(String pid) {
        try {
            return ProcessHandle.of(Long.parseLong(pid.strip()));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static String commandOf(ProcessHandle process) {
        ProcessHandle.Info info = process.info();
        return info.commandLine().or(info::command).orElse("");
    }

    private static void end(ProcessHandle process) {
        process.destroy();
        try {
            process.onExit().get(20, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            process.destroyForcibly();
            process.onExit().join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
