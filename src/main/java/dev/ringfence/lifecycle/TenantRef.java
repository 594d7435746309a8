package dev.ringfence.lifecycle;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.PathIds;
import dev.ringfence.fence.FenceKey;
import java.util.UUID;

/**
 * A tenant as callers name it.
 *
 * @param appId the sending application
 * @param tenant the application's own name for the tenant: 1 to 200 characters, none of them a control character
 */
public record TenantRef(UUID appId, String tenant) {

    private static final int MOST_CHARACTERS = 200;

    public TenantRef {
        if (!valid(tenant)) {
            throw new IllegalArgumentException("not a tenant name");
        }
    }

    /**
     * The tenant of a request path.
     *
     * @throws ApiProblem 404 for an app id that is none; 422 {@code INVALID} for a tenant name that cannot be one
     */
    public static TenantRef ofPath(String app, String tenant) {
        return checked(PathIds.id(app), tenant, "");
    }

    /**
     * The tenant that a query parameter {@code tenant} names.
     *
     * @throws ApiProblem 422 {@code INVALID} for a name that cannot be one
     */
    public static TenantRef ofQuery(UUID app, String tenant) {
        return checked(app, tenant, "/tenant");
    }

    private static TenantRef checked(UUID app, String tenant, String pointer) {
        if (!valid(tenant)) {
            throw ApiProblem.invalid(
                    pointer, "BAD_FORMAT", "A tenant name has 1 to 200 characters, none of them a control character.");
        }
        return new TenantRef(app, tenant);
    }

    public FenceKey fenceKey() {
        return FenceKey.of(appId, tenant);
    }

    /** The hash that the lifecycle row is found by; the clear name can be erased. */
    public byte[] hash() {
        return FenceKey.hash(appId, tenant);
    }

    private static boolean valid(String tenant) {
        int characters = tenant.codePointCount(0, tenant.length());
        return characters >= 1
                && characters <= MOST_CHARACTERS
                && tenant.codePoints().noneMatch(TenantRef::unusable);
    }

    private static boolean unusable(int codePoint) {
        int type = Character.getType(codePoint);
        return type == Character.CONTROL || type == Character.SURROGATE;
    }
}
