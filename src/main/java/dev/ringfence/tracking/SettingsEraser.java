package dev.ringfence.tracking;

import dev.ringfence.erasure.ErasureRepository;
import dev.ringfence.erasure.TableEraser;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;

/**
 * Empties a tenant's settings; the fencing statement has done so already, and this catches what was saved beside it. The revision lives
 * on (LC-9), and so does what a request saved that began after the boundary.
 */
@Dependent
public class SettingsEraser extends TableEraser {
    private static final String LEFT = """
            select count(*) from tenant_settings s
              join tenant_lifecycle t on t.app_id = s.app_id and t.tenant_hash = s.tenant_hash
             where t.tenant_id = ? and s.settings is not null and s.updated_at <= t.last_redacted_at
            """;

    @Inject
    SettingsEraser(ErasureRepository rows) {
        super(rows, "tenant_settings", 90, LEFT);
    }
}
