package dev.ringfence.model;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Spin and the C compiler that it needs, as installed on this machine. */
final class Spin {
    private static final Pattern ERRORS = Pattern.compile("errors: (\\d+)");
    private static final Pattern VIOLATED = Pattern.compile("assertion violated\\s+!\\((\\w+)\\)");
    /** Signs that not everything was looked at; {@code pan} does not call them errors. */
    private static final List<String> CUT_SHORT = List.of(
            "Search not completed", "max search depth too small", "out of memory", "reached -DMEMLIM", "truncated");

    private static final int MINUTES = 30;

    private Spin() {}

    /** What of it is missing here; empty where all is there. */
    static List<String> missing() {
        return List.of("spin", "gcc").stream().filter(tool -> !installed(tool)).toList();
    }

    private static boolean installed(String tool) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .map(directory -> Path.of(directory, tool))
                .anyMatch(Files::isExecutable);
    }

    /** Looks everywhere for what an assertion forbids, and for deadlocks. */
    static Verdict safety(Path directory, List<String> flags) throws IOException, InterruptedException {
        return search(directory, flags, List.of("-O1", "-DSAFETY"), List.of());
    }

    /** The same where an assertion is expected to fail, soon: compiling is most of it. */
    static Verdict violation(Path directory, List<String> flags) throws IOException, InterruptedException {
        return search(directory, flags, List.of("-O0", "-DSAFETY"), List.of());
    }

    /** Looks for a run that goes on for ever although each process is let run now and then. */
    static Verdict progress(Path directory, List<String> flags) throws IOException, InterruptedException {
        return search(directory, flags, List.of("-O1", "-DNP", "-DNFAIR=4"), List.of("-l", "-f"));
    }

    private static Verdict search(Path directory, List<String> flags, List<String> kind, List<String> how)
            throws IOException, InterruptedException {
        Path model = directory.resolve("ringfence.pml");
        Files.copy(ModelPage.MODEL, model);
        run(directory, command(List.of("spin", "-a"), flags, List.of(model.toString())));
        run(
                directory,
                command(List.of("gcc", "-w", "-DCOLLAPSE", "-DMEMLIM=2000"), kind, List.of("-o", "pan", "pan.c")));
        return new Verdict(run(
                directory, command(List.of(directory.resolve("pan").toString(), "-m100000", "-n"), how, List.of())));
    }

    private static List<String> command(List<String> first, List<String> then, List<String> last) {
        List<String> command = new ArrayList<>(first);
        command.addAll(then);
        command.addAll(last);
        return command;
    }

    private static String run(Path directory, List<String> command) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
                throw new IllegalStateException(command + " takes more than " + MINUTES + " minutes");
            }
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output);
        if (process.exitValue() != 0) {
            throw new IllegalStateException(command + " ended with " + process.exitValue() + ": " + said);
        }
        return said;
    }

    /** What {@code pan} printed. */
    record Verdict(String output) {
        int errors() {
            Matcher errors = ERRORS.matcher(output);
            if (!errors.find()) {
                throw new IllegalStateException(output);
            }
            return Integer.parseInt(errors.group(1));
        }

        /** The assertion that failed; empty where it was none. */
        String violated() {
            Matcher violated = VIOLATED.matcher(output);
            return violated.find() ? violated.group(1) : "";
        }

        boolean exhaustive() {
            return CUT_SHORT.stream().noneMatch(output::contains);
        }
    }
}
