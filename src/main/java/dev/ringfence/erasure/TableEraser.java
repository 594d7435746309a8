package dev.ringfence.erasure;

/** The eraser of a table whose rows carry {@code tenant_id}; its kind is the table's name. */
public abstract class TableEraser implements TenantEraser {
    private final ErasureRepository rows;
    private final String table;
    private final int order;

    protected TableEraser(ErasureRepository rows, String table, int order) {
        this.rows = rows;
        this.table = table;
        this.order = order;
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
        return rows.left(tenantId, table);
    }
}
