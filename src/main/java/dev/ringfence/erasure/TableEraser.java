package dev.ringfence.erasure;

/** The eraser of one table; its kind is the table's name. */
public abstract class TableEraser implements TenantEraser {
    private static final String LEFT =
            "select count(*) from (select 1 from %s where tenant_id = ? limit 1000) some_rows";

    private final ErasureRepository rows;
    private final String table;
    private final int order;
    private final String left;

    /** For a table whose rows carry {@code tenant_id}. */
    protected TableEraser(ErasureRepository rows, String table, int order) {
        this(rows, table, order, LEFT.formatted(table));
    }

    /** @param left counts what is left of the tenant whose narrow key is its one parameter */
    protected TableEraser(ErasureRepository rows, String table, int order, String left) {
        this.rows = rows;
        this.table = table;
        this.order = order;
        this.left = left;
    }

    @Override
    public String kind() {
        return table;
    }

    @Override
    public int order() {
        return order;
    }

    @Override
    public int erase(long tenantId, int most) {
        return rows.erase(tenantId, table, most);
    }

    @Override
    public long left(long tenantId) {
        return rows.left(tenantId, table, left);
    }
}
