package dev.ringfence.erasure;

/**
 * Rows of one kind that belong to tenants, and the way to delete them (RD-4). Implementations are found by CDI. They work in the
 * caller's transaction, may be repeated, and are called only for a tenant that a redaction has fenced.
 */
public interface TenantEraser {

    /** Name of the kind, as the database's closed list and the documentation know it. */
    String kind();

    /** Where it stands in the erasure, lowest first: rows that tell whose others are go after those. */
    int order();

    /**
     * Deletes some rows of the tenant.
     *
     * @param most about how many at once
     * @return how many went; zero when none is left
     */
    int erase(long tenantId, int most);

    /** How many rows of the tenant are left; counts no further than a thousand. */
    long left(long tenantId);
}
