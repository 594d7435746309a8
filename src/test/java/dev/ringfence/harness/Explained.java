package dev.ringfence.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ringfence.config.DataSources;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

/**
 * Data sources whose prepared statements run twice: explained with their real parameters and taken back, then for good. Sessions are set up
 * as the servers' pool is. What was found is asked for afterwards.
 */
public final class Explained extends DataSources {
    private static final String EXPLAIN = "explain (analyze, costs off, timing off, format json) ";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final DataSources real;
    private final List<Plan> plans = new CopyOnWriteArrayList<>();

    /** A statement and what PostgreSQL did for it. */
    private record Plan(String sql, JsonNode root) {}

    private record Call(Method method, Object[] arguments) {}

    public Explained(DataSources real) {
        this.real = real;
    }

    @Override
    public DataSource jta() {
        return BorrowedConnection.dataSource(() -> explaining(real.jta().getConnection()));
    }

    @Override
    public DataSource pinned() {
        return real.pinned();
    }

    /**
     * Fails where a statement read a table of events, deliveries or attempts from end to end, or where a step of it looked at more rows than that.
     *
     * @param statements how many must have been seen at least
     */
    public void assertEachStepStaysBelow(long rows, int statements) {
        assertThat(plans).hasSizeGreaterThanOrEqualTo(statements);
        plans.forEach(plan -> check(plan, plan.root(), rows));
    }

    /** Fails where a statement that begins so read an index of that name; steps that never ran do not count. */
    public void assertIndexUnused(String beginning, String pattern) {
        plans.stream()
                .filter(plan -> plan.sql().startsWith(beginning))
                .forEach(plan -> assertThat(indexes(plan.root()))
                        .as("%s in %s", plan.sql(), plan.root().toPrettyString())
                        .noneMatch(index -> index.matches(pattern)));
    }

    private static List<String> indexes(JsonNode node) {
        List<String> names = new ArrayList<>();
        if (node.has("Index Name") && node.path("Actual Loops").asLong() > 0) {
            names.add(node.path("Index Name").asText());
        }
        node.path("Plans").forEach(child -> names.addAll(indexes(child)));
        return names;
    }

    private static void check(Plan plan, JsonNode node, long most) {
        long looked = (node.path("Actual Rows").asLong()
                        + node.path("Rows Removed by Filter").asLong()
                        + node.path("Rows Removed by Join Filter").asLong())
                * node.path("Actual Loops").asLong();
        assertThat(looked)
                .as("rows at %s in %s of%n%s", node.path("Node Type").asText(), node.toPrettyString(), plan.sql())
                .isLessThanOrEqualTo(most);
        if (node.path("Relation Name").asText().matches("(outbox_events|deliveries|delivery_attempts)_.*")
                && node.path("Actual Loops").asLong() > 0) {
            assertThat(node.path("Node Type").asText())
                    .as("%s of%n%s", node.path("Relation Name").asText(), plan.sql())
                    .isNotEqualTo("Seq Scan");
        }
        node.path("Plans").forEach(child -> check(plan, child, most));
    }

    private Connection explaining(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("set enable_seqscan = off; set jit = off");
        }
        return (Connection) Proxy.newProxyInstance(
                Explained.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    Object result = invoke(connection, method, arguments);
                    return method.getName().equals("prepareStatement") && arguments.length == 1
                            ? recording(connection, (PreparedStatement) result, (String) arguments[0])
                            : result;
                });
    }

    private PreparedStatement recording(Connection connection, PreparedStatement statement, String sql) {
        List<Call> calls = new ArrayList<>();
        return (PreparedStatement) Proxy.newProxyInstance(
                Explained.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                (proxy, method, arguments) -> {
                    if (method.getName().startsWith("set")) {
                        calls.add(new Call(method, arguments));
                    } else if (method.getName().startsWith("execute")) {
                        explain(connection, sql, calls);
                    }
                    return invoke(statement, method, arguments);
                });
    }

    private void explain(Connection connection, String sql, List<Call> calls) throws Throwable {
        boolean alone = connection.getAutoCommit();
        connection.setAutoCommit(false);
        var before = connection.setSavepoint();
        try (PreparedStatement statement = connection.prepareStatement(EXPLAIN + sql)) {
            for (Call call : calls) {
                invoke(statement, call.method(), call.arguments());
            }
            try (var rows = statement.executeQuery()) {
                rows.next();
                plans.add(new Plan(sql, plan(rows.getString(1))));
            }
        }
        connection.rollback(before);
        connection.setAutoCommit(alone);
    }

    private static JsonNode plan(String json) throws JsonProcessingException {
        return JSON.readTree(json).get(0).get("Plan");
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
