package peers;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a stretch of a run costs: CPU seconds of each side and of everybody else on the machine; commits, WAL and (where pg_stat_statements
 * is there) statements of PostgreSQL; bytes that the workers allocated. Sessions tell their commits up to a second late.
 */
final class Meter implements AutoCloseable {
    private final Proc.Postgres postgres;
    private final Connection database;
    private final long receiver;
    private final List<Long> workers;
    private final List<Jvm> jvms;
    private final boolean statements;

    record Mark(long nanos, double worker, double postgres, double receiver, double self, double machine, double steal,
            double commits, double wal, double statements, double allocated) {}

    Meter(Options o, long receiver, List<Long> workers, List<Jvm> jvms) throws Exception {
        this.receiver = receiver;
        this.workers = workers;
        this.jvms = jvms;
        postgres = Proc.postgres(o);
        database = DriverManager.getConnection(o.jdbc());
        statements = number("select count(*) from pg_extension where extname = 'pg_stat_statements'") > 0;
    }

    Mark mark() throws Exception {
        double commits = number("select xact_commit from pg_stat_database where datname = current_database()");
        double wal = number("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
        double calls = statements ? number("select coalesce(sum(calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid"
                + " where d.datname = current_database() and s.toplevel") : Double.NaN;
        double bytes = jvms.isEmpty() ? Double.NaN : jvms.stream().mapToDouble(Jvm::allocated).sum();
        return new Mark(System.nanoTime(), workers.stream().mapToDouble(Proc::tree).sum(), postgres.cpu(), Proc.cpu(receiver), Proc.self(),
                Proc.machine(), Proc.steal(), commits, wal, calls, bytes);
    }

    /** CPU and shares of each for n deliveries (or events) between two marks. */
    static Map<String, Double> between(Mark a, Mark b, double n) {
        Map<String, Double> r = new LinkedHashMap<>();
        double worker = b.worker - a.worker;
        double postgres = b.postgres - a.postgres;
        double receiver = b.receiver - a.receiver;
        double self = b.self - a.self;
        r.put("workerCpu", worker);
        r.put("postgresCpu", postgres);
        r.put("receiverCpu", receiver);
        r.put("benchCpu", self);
        r.put("otherCpu", b.machine - a.machine - worker - postgres - receiver - self);
        r.put("steal", b.steal - a.steal);
        r.put("workerMicrosEach", worker * 1e6 / n);
        r.put("postgresMicrosEach", postgres * 1e6 / n);
        r.put("statementsEach", (b.statements - a.statements) / n);
        r.put("commitsEach", (b.commits - a.commits) / n);
        r.put("walBytesEach", (b.wal - a.wal) / n);
        r.put("allocatedBytesEach", (b.allocated - a.allocated) / n);
        return r;
    }

    private double number(String sql) throws SQLException {
        try (Statement s = database.createStatement(); ResultSet r = s.executeQuery(sql)) {
            r.next();
            return r.getDouble(1);
        }
    }

    @Override
    public void close() throws Exception {
        database.close();
        for (Jvm jvm : jvms) {
            try {
                jvm.close();
            } catch (java.io.IOException e) {
                // its process has gone
            }
        }
    }
}
