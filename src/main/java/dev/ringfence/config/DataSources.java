package dev.ringfence.config;

import jakarta.enterprise.context.ApplicationScoped;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The two pools, looked up by the names that both servers resolve. {@code @Resource(lookup = …)} does not find them on every
 * server; {@link InitialContext} does.
 */
@ApplicationScoped
public class DataSources {

    /** Connections that take part in the JTA transaction of the caller. */
    public static final String JTA = "jdbc/ringfence";

    /** Connections outside JTA, in autocommit: session advisory locks live on them (FN-1). */
    public static final String PINNED = "jdbc/ringfencePinned";

    private volatile @Nullable DataSource jta;
    private volatile @Nullable DataSource pinned;

    public DataSource jta() {
        DataSource known = jta;
        if (known == null) {
            known = lookup(JTA);
            jta = known;
        }
        return known;
    }

    public DataSource pinned() {
        DataSource known = pinned;
        if (known == null) {
            known = lookup(PINNED);
            pinned = known;
        }
        return known;
    }

    @SuppressWarnings("BanJNDI") // both names are constants of this class, none comes from outside
    private static DataSource lookup(String name) {
        try {
            return (DataSource) new InitialContext().lookup(name);
        } catch (NamingException missing) {
            throw new IllegalStateException(
                    "The server has no data source " + name + ": apply server-config first.", missing);
        }
    }
}
