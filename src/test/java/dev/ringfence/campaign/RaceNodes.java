package dev.ringfence.campaign;

import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** The nodes of a race, and what is done to them. */
final class RaceNodes implements AutoCloseable {
    /**
     * Shorter than the margin with which a drain outlasts the last moment to send ({@code ringfence.clock.max-skew-ms}, a second): a
     * process that stands still for longer between its last look at the clock and the first byte is what nobody can help.
     */
    private static final int LONGEST_STOP_MILLIS = 600;

    /** A node that comes back has to share the machine with those that race. */
    static final Duration LONGEST_START = Duration.ofMinutes(10);

    private final TestDatabase database;
    private final List<ServerProcess> servers = new ArrayList<>();
    private final List<RingfenceClient> clients = new ArrayList<>();
    private final Set<ServerProcess> down = ConcurrentHashMap.newKeySet();

    RaceNodes(TestDatabase database, int count) {
        this.database = database;
        for (int i = 0; i < count; i++) {
            ServerProcess server = Campaign.node("race-" + (char) ('a' + i), database)
                    .heap("384m")
                    .startLimit(LONGEST_START)
                    .build();
            servers.add(server);
            clients.add(new RingfenceClient(server.api(), Campaign.ADMIN));
        }
    }

    /** Starts all at once. What did not start is stopped by {@link #close} as well. */
    void start() {
        servers.forEach(ServerProcess::launch);
        servers.forEach(ServerProcess::awaitReady);
    }

    /** One that is up, as far as anybody can know. */
    RingfenceClient any(Random dice) {
        int chosen = dice.nextInt(servers.size());
        return clients.get(down.contains(servers.get(chosen)) ? (chosen + 1) % servers.size() : chosen);
    }

    RingfenceClient first() {
        return clients.get(0);
    }

    /** {@code kill -9}, and started again. */
    void kill(Random dice) {
        ServerProcess server = servers.get(dice.nextInt(servers.size()));
        down.add(server);
        // The lock keeps a process that was stopped from being another's number by the time it is to go on.
        synchronized (server) {
            server.kill9();
        }
        server.restart();
        down.remove(server);
    }

    /**
     * Lets a node stand still for a moment. Meanwhile each session that holds a fence is ended, whosever it is, the nodes are kept from
     * hearing of what happens, and something is begun at another node.
     *
     * @param name of the node
     * @param meanwhile must not wait
     * @return how many fence sessions were ended; zero also where there is no other node or none to stop
     */
    int standStill(String name, Random dice, Consumer<RingfenceClient> meanwhile) {
        int chosen = name.charAt(name.length() - 1) - 'a';
        ServerProcess server = servers.get(chosen);
        synchronized (server) {
            int other = (chosen + 1) % servers.size();
            if (!server.isRunning() || down.contains(servers.get(other))) {
                return 0;
            }
            signal("STOP", server);
            try {
                int ended = endFences(1.0, dice);
                endSessions("ringfence-listener", 1.0, dice);
                meanwhile.accept(clients.get(other));
                int millis = LONGEST_STOP_MILLIS / 2 + dice.nextInt(LONGEST_STOP_MILLIS / 2);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
                return ended;
            } finally {
                signal("CONT", server);
            }
        }
    }

    private static void signal(String name, ServerProcess server) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(server.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new IllegalStateException("no kill", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends about that share of the sessions that hold a fence now. */
    int endFences(double share, Random dice) {
        return end(
                "pid in (select l.pid from pg_locks l where l.locktype = 'advisory' and l.objsubid = 1 and l.granted)"
                        + " and application_name = 'ringfence-pinned'",
                share,
                dice);
    }

    /** Ends about that share of the sessions of this name. */
    int endSessions(String name, double share, Random dice) {
        return end("application_name = '" + name + "'", share, dice);
    }

    private int end(String which, double share, Random dice) {
        List<Integer> pids = new ArrayList<>();
        try (Connection root = database.superuser();
                var statement = root.createStatement()) {
            try (var rows = statement.executeQuery(
                    "select pid from pg_stat_activity where datname = current_database() and " + which)) {
                while (rows.next()) {
                    pids.add(rows.getInt(1));
                }
            }
            Collections.shuffle(pids, dice);
            List<Integer> chosen = pids.subList(0, (int) Math.ceil(pids.size() * share));
            for (int pid : chosen) {
                statement.execute("select pg_terminate_backend(" + pid + ")");
            }
            return chosen.size();
        } catch (SQLException e) {
            throw new IllegalStateException("cannot end sessions", e);
        }
    }

    @Override
    public void close() {
        servers.forEach(ServerProcess::close);
    }
}
