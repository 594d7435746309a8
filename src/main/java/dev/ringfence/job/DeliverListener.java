package dev.ringfence.job;

import jakarta.batch.api.listener.AbstractJobListener;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.inject.Named;

/** Tells {@link DeliveryJob} that an execution is over. */
@Named
@Dependent
public class DeliverListener extends AbstractJobListener {
    private final DeliveryJob job;

    @Inject
    DeliverListener(DeliveryJob job) {
        this.job = job;
    }

    @Override
    public void afterJob() {
        job.ended();
    }
}
