package peers;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.tools.attach.VirtualMachine;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.util.Map;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * A JVM's memory, seen from outside. What it allocates is added up from its collections, which tell how much was there before and after
 * each: a few messages a second, nothing to switch on in the program.
 */
final class Jvm implements AutoCloseable {
    private final JMXConnector connector;
    private final MemoryMXBean memory;
    private double allocated;
    private double usedAfterLast;

    Jvm(long pid) throws Exception {
        VirtualMachine vm = VirtualMachine.attach(Long.toString(pid));
        try {
            connector = JMXConnectorFactory.connect(new JMXServiceURL(vm.startLocalManagementAgent()));
        } finally {
            vm.detach();
        }
        MBeanServerConnection beans = connector.getMBeanServerConnection();
        memory = ManagementFactory.newPlatformMXBeanProxy(beans, ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
        usedAfterLast = used();
        for (ObjectName gc : beans.queryNames(new ObjectName("java.lang:type=GarbageCollector,*"), null)) {
            beans.addNotificationListener(gc, (n, back) -> collected(
                    GarbageCollectionNotificationInfo.from((CompositeData) n.getUserData())), null, null);
        }
    }

    private synchronized void collected(GarbageCollectionNotificationInfo info) {
        double before = heap(info.getGcInfo().getMemoryUsageBeforeGc());
        // a concurrent cycle reports itself at its end, over collections that were told already
        if (info.getGcCause().equals("No GC")) return;
        allocated += Math.max(0, before - usedAfterLast);
        usedAfterLast = heap(info.getGcInfo().getMemoryUsageAfterGc());
    }

    private static double heap(Map<String, MemoryUsage> pools) {
        double sum = 0;
        for (Map.Entry<String, MemoryUsage> p : pools.entrySet()) {
            if (p.getKey().startsWith("G1") || p.getKey().startsWith("PS") || p.getKey().contains("Eden") || p.getKey().contains("Tenured")
                    || p.getKey().contains("Survivor")) sum += p.getValue().getUsed();
        }
        return sum;
    }

    /** Bytes allocated since this was opened. */
    synchronized double allocated() {
        return allocated + Math.max(0, used() - usedAfterLast);
    }

    final double used() {
        return memory.getHeapMemoryUsage().getUsed();
    }

    /** What is used after a full collection. */
    double usedAfterGc() {
        memory.gc();
        return used();
    }

    @Override
    public void close() throws Exception {
        connector.close();
    }

    /** The server that a worker process started, or the worker itself where it is a JVM; null for others. */
    static Jvm ofWorker(long pid) throws Exception {
        ProcessHandle worker = ProcessHandle.of(pid).orElseThrow();
        for (ProcessHandle p : (Iterable<ProcessHandle>) worker.descendants()::iterator) {
            if (commandLine(p.pid()).contains("jboss-modules")) return new Jvm(p.pid());
        }
        return commandLine(pid).contains("peers.Peer") ? new Jvm(pid) : null;
    }

    private static String commandLine(long pid) throws Exception {
        return new String(java.nio.file.Files.readAllBytes(java.nio.file.Path.of("/proc/" + pid + "/cmdline"))).replace('\0', ' ');
    }
}
