package peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** CPU seconds from /proc (100 ticks a second on Linux). */
final class Proc {
    private Proc() {}

    private static String[] stat(long pid) {
        try {
            String s = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return s.substring(s.lastIndexOf(')') + 2).split(" ");
        } catch (IOException e) {
            return null;
        }
    }

    static double cpu(long pid) {
        String[] f = stat(pid);
        return f == null ? 0 : (Long.parseLong(f[11]) + Long.parseLong(f[12])) / 100.0;
    }

    /** A process and all that it started and that still run. */
    static double tree(long pid) {
        return cpu(pid) + ProcessHandle.of(pid).map(p -> p.descendants().mapToDouble(c -> cpu(c.pid())).sum()).orElse(0.0);
    }

    static double self() {
        return cpu(ProcessHandle.current().pid());
    }

    /** User, system and interrupt time of the whole machine. */
    static double machine() throws IOException {
        String[] f = Files.readAllLines(Path.of("/proc/stat")).get(0).split(" +");
        long t = 0;
        for (int i : new int[] {1, 2, 3, 6, 7}) t += Long.parseLong(f[i]);
        return t / 100.0;
    }

    static double steal() throws IOException {
        return Long.parseLong(Files.readAllLines(Path.of("/proc/stat")).get(0).split(" +")[8]) / 100.0;
    }

    static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).split(" ")[0];
    }

    /** The server and all its children, those that have ended included. */
    record Postgres(long postmaster) {
        double cpu() throws IOException {
            String[] f = stat(postmaster);
            double ended = (Long.parseLong(f[13]) + Long.parseLong(f[14])) / 100.0;
            double live = 0;
            try (Stream<Path> all = Files.list(Path.of("/proc"))) {
                for (Path p : (Iterable<Path>) all.filter(p -> Character.isDigit(p.getFileName().toString().charAt(0)))::iterator) {
                    long pid = Long.parseLong(p.getFileName().toString());
                    String[] g = stat(pid);
                    if (g != null && (pid == postmaster || Long.parseLong(g[1]) == postmaster))
                        live += (Long.parseLong(g[11]) + Long.parseLong(g[12])) / 100.0;
                }
            }
            return ended + live;
        }
    }

    static Postgres postgres(Options o) throws IOException {
        Path pid = Path.of(o.text("pgdata", System.getProperty("java.io.tmpdir") + "/peers-pg"), "postmaster.pid");
        return new Postgres(Long.parseLong(Files.readAllLines(pid).get(0).trim()));
    }
}
