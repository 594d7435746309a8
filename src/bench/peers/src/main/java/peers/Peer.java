package peers;

import java.io.BufferedReader;
import java.io.InputStreamReader;

/** One system under test, driven over stdin: GO starts its workers, LAT n ms inserts jobs one by one, QUIT ends. */
public interface Peer {
    /** Commits n waiting jobs without running any. */
    void fill(int n) throws Exception;

    /** The same with jobs of these numbers, while this process lives; for those that can. */
    default void fill(int first, int n) throws Exception {
        throw new UnsupportedOperationException("this system is filled once");
    }

    /** Nothing new begins; returns when nothing is under way any more. */
    default void pause() throws Exception {
        throw new UnsupportedOperationException("this system does not pause");
    }

    /** Starts working; returns at once. */
    void start() throws Exception;

    /** Commits one job the way an application would. */
    void insertOne(int id) throws Exception;

    void stop() throws Exception;

    static void main(String[] args) throws Exception {
        Bench.endChildrenWithMe();
        Options o = new Options(args, 2);
        Peer peer = switch (args[0]) {
            case "db-scheduler" -> new DbSchedulerPeer(o);
            case "jobrunr" -> new JobRunrPeer(o);
            case "transaction-outbox" -> new TransactionOutboxPeer(o);
            case "reference" -> new ReferencePeer(o);
            case "ringfence" -> new RingfencePeer(o);
            default -> throw new IllegalArgumentException(args[0]);
        };
        if (args[1].equals("fill")) {
            peer.fill(o.number("n", 20_000));
            peer.stop();
            System.exit(0);
        }
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null && !line.equals("QUIT"); ) {
            if (line.equals("GO")) {
                peer.start();
                System.out.println("STARTED");
            } else if (line.startsWith("FILL ")) {
                String[] p = line.split(" ");
                peer.fill(Integer.parseInt(p[1]), Integer.parseInt(p[2]));
                System.out.println("FILLED");
            } else if (line.equals("PAUSE")) {
                peer.pause();
                System.out.println("PAUSED");
            } else if (line.startsWith("LAT ")) {
                String[] p = line.split(" ");
                insertSlowly(peer, Integer.parseInt(p[1]), Integer.parseInt(p[2]), Integer.parseInt(p[3]));
            }
        }
        peer.stop();
        System.exit(0);
    }

    private static void insertSlowly(Peer peer, int first, int n, int everyMillis) throws Exception {
        StringBuilder committed = new StringBuilder();
        for (int i = 0; i < n; i++) {
            long began = System.nanoTime();
            peer.insertOne(first + i);
            committed.append("C ").append(first + i).append(' ').append(System.nanoTime()).append(' ').append(began).append('\n');
            Thread.sleep(everyMillis);
        }
        System.out.print(committed);
        System.out.println("INSERTED");
    }
}
