package dev.ringfence.security;

import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The authenticated key behind a request (SC-1).
 *
 * @param keyId the key
 * @param appId the sending application that the key belongs to; {@code null} for a global key
 * @param roles what it may do, a subset of {@link Roles#ALL}
 * @param name the name given to the key, for the audit
 */
public record Caller(UUID keyId, @Nullable UUID appId, Set<String> roles, String name) {

    /** The request attribute that holds the caller after authentication. */
    public static final String ATTRIBUTE = "dev.ringfence.caller";

    public Caller {
        roles = Set.copyOf(roles);
    }

    /** Whether the key is bound to no application. */
    public boolean global() {
        return appId == null;
    }

    /** Whether the key may see that application at all. */
    public boolean maySee(UUID app) {
        return appId == null || appId.equals(app);
    }

    /** How the audit names the caller: the key's id and name, never its secret. */
    public String actor() {
        return "key:" + keyId + " (" + name + ")";
    }
}
