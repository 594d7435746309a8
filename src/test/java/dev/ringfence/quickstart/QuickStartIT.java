package dev.ringfence.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The quick start as a newcomer uses it: a process that is started, looked at, and stopped. */
class QuickStartIT {
    private static final Pattern TOTAL = Pattern.compile("In all: \\{(?<states>[^}]*)}, attempts (?<attempts>\\d+),"
            + " receipts: stored (?<stored>\\d+), deduped (?<deduped>\\d+)\\.");
    /** Where the build has put the servers, and which one it is to be. */
    private static final List<String> PASSED_ON = List.of(
            "basedir",
            "ringfence.it.server",
            "ringfence.it.server.kind",
            "ringfence.it.payara",
            "ringfence.it.driver",
            "ringfence.it.war");

    /** The administrator's key, and the first line to try. */
    private static final Pattern TRIED = Pattern.compile(
            "(?s)Admin +(?<key>rfk_\\S+).*? (?<api>http\\S+/api/v1/)apps/(?<app>[0-9a-f-]+)/tenants/" + Demo.TENANT);

    private static final Duration LIMIT = Duration.ofMinutes(6);

    @TempDir
    private Path directory;

    private final int port = ServerProcess.freePort();
    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void stopAll() throws Exception {
        for (Process process : started) {
            process.destroy();
            process.waitFor(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void everythingArrivesAndTheNextStartGoesOnWithTheSameData() throws Exception {
        Process first = start("first", port);
        awaitReady("first", first);
        assertAllArrived(output("first"), 200);
        assertThat(output("first")).contains("curl -s -H 'Authorization: Bearer rfk_");

        refusesASecondStart();

        stop(first);
        Process next = start("next", port);
        awaitReady("next", next);
        assertAllArrived(output("next"), 205);

        redact(output("next"));
        stop(next);
        Process after = start("after", port);
        awaitReady("after", after);
        assertAllArrived(output("after"), 5);
        stop(after);
    }

    /** What whoever tries the product will do sooner or later. */
    private static void redact(String output) {
        Matcher tried = TRIED.matcher(output);
        assertThat(tried.find()).as(output).isTrue();
        RingfenceClient admin = new RingfenceClient(URI.create(tried.group("api")), tried.group("key"));
        String app = "apps/" + tried.group("app");
        String id = admin.post(
                        app + "/tenants/" + Demo.TENANT + "/redactions",
                        RingfenceClient.object().put("reason", "tried"))
                .expect(202)
                .body()
                .path("id")
                .asText();
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> admin.get(app + "/redactions/" + id)
                        .body()
                        .path("status")
                        .asText()
                        .equals("DONE"));
    }

    /** On a machine that is busy an answer may come too late, and the event is sent and answered once more (OB-4). */
    private static void assertAllArrived(String output, int events) {
        Matcher total = TOTAL.matcher(output);
        assertThat(total.find()).as(output).isTrue();
        assertThat(total.group("states")).isEqualTo("delivered=" + events);
        assertThat(number(total, "stored") + number(total, "deduped")).isEqualTo(events);
        assertThat(number(total, "attempts")).isGreaterThanOrEqualTo(events);
    }

    private static int number(Matcher total, String group) {
        return Integer.parseInt(total.group(group));
    }

    private void refusesASecondStart() throws Exception {
        Process second = start("second", ServerProcess.freePort());
        assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(output("second").lines()).singleElement().asString().contains("A quick start already runs on");
    }

    @Test
    void aTakenPortIsToldInOneLine() throws Exception {
        try (var taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            Process process = start("taken", taken.getLocalPort());
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(1);
            assertThat(output("taken").lines()).singleElement().asString().contains("Port " + port + " is taken");
        }
    }

    private Process start(String name, int onPort) throws IOException {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath,
                "-Dringfence.port=" + onPort,
                "-Dringfence.home=" + directory.resolve("home")));
        for (String passed : PASSED_ON) {
            command.add("-D" + passed + "=" + System.getProperty(passed));
        }
        command.add(QuickStart.class.getName());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log(name).toFile())
                .directory(directory.toFile())
                .start();
        started.add(process);
        return process;
    }

    private void awaitReady(String name, Process process) throws IOException {
        Awaitility.await()
                .atMost(LIMIT)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> output(name).contains("Ready.") || !process.isAlive());
        assertThat(process.isAlive()).as(output(name)).isTrue();
    }

    /** Asks it to stop, and holds it to leaving no process behind. */
    private void stop(Process process) throws Exception {
        List<ProcessHandle> children = process.descendants().toList();
        assertThat(children).isNotEmpty();
        process.destroy();
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
        assertThat(Files.exists(directory.resolve("home/postgres/postmaster.pid")))
                .isFalse();
    }

    private Path log(String name) {
        return directory.resolve(name + ".log");
    }

    private String output(String name) throws IOException {
        return Files.readString(log(name), StandardCharsets.UTF_8);
    }
}
