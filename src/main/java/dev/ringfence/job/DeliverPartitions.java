package dev.ringfence.job;

import dev.ringfence.config.Settings;
import jakarta.batch.api.partition.PartitionMapper;
import jakarta.batch.api.partition.PartitionPlan;
import jakarta.batch.api.partition.PartitionPlanImpl;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import java.util.Properties;
import java.util.stream.Stream;

/** One partition per worker of this node. */
@Named
@Dependent
public class DeliverPartitions implements PartitionMapper {
    private final Settings settings;

    @Inject
    DeliverPartitions(Settings settings) {
        this.settings = settings;
    }

    @Override
    public PartitionPlan mapPartitions() {
        PartitionPlanImpl plan = new PartitionPlanImpl();
        plan.setPartitions(settings.deliveryWorkers());
        plan.setThreads(settings.deliveryWorkers());
        // JBeret reads them without asking whether there are any.
        plan.setPartitionProperties(Stream.generate(Properties::new)
                .limit(settings.deliveryWorkers())
                .toArray(Properties[]::new));
        return plan;
    }
}
