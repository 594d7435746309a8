package dev.ringfence.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A look into another JVM of this machine.
 *
 * @param heap bytes of reachable objects, after a full collection
 * @param threads live threads of Java by name, its numbers left out: those of one pool count together
 * @param copies reachable objects of a class, whichever loader it comes from
 */
public record JvmProbe(long heap, Map<String, Long> threads, long copies) {
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)");
    private static final Pattern THREAD = Pattern.compile("(?m)^\"(.*?)\" #\\d+");

    /** Looks; the JVM collects its garbage for it, twice, so that what finalizers and cleaners let go is gone too. */
    public static JvmProbe of(long pid, String className) {
        jcmd(pid, "GC.run");
        String histogram = jcmd(pid, "GC.class_histogram");
        Matcher total = TOTAL.matcher(histogram);
        if (!total.find()) {
            throw new IllegalStateException("no histogram: " + histogram);
        }
        Pattern ours = Pattern.compile("(?m)^ *\\d+: +(\\d+) +\\d+ +" + Pattern.quote(className) + "( |$)");
        long copies = ours.matcher(histogram)
                .results()
                .mapToLong(line -> Long.parseLong(line.group(1)))
                .sum();
        Map<String, Long> threads = THREAD.matcher(jcmd(pid, "Thread.print"))
                .results()
                .map(thread -> thread.group(1).replaceAll("[0-9]+", ""))
                .collect(Collectors.groupingBy(name -> name, TreeMap::new, Collectors.counting()));
        return new JvmProbe(Long.parseLong(total.group(1)), threads, copies);
    }

    private static String jcmd(long pid, String command) {
        String tool = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        try {
            Process process = new ProcessBuilder(List.of(tool, String.valueOf(pid), command))
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("jcmd " + command + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new IllegalStateException("jcmd " + command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
