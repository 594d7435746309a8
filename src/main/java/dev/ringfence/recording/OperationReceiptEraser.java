package dev.ringfence.recording;

import dev.ringfence.erasure.ErasureRepository;
import dev.ringfence.erasure.TableEraser;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;

/** Erases a tenant's operation receipts. */
@Dependent
public class OperationReceiptEraser extends TableEraser {

    @Inject
    OperationReceiptEraser(ErasureRepository rows) {
        super(rows, "operation_receipts", 50);
    }
}
