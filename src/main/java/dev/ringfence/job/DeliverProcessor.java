package dev.ringfence.job;

import jakarta.batch.api.chunk.ItemProcessor;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns a batch into a flight; one from which nothing departs is filtered out. */
@Named
@Dependent
public class DeliverProcessor implements ItemProcessor {
    private final Departure departure;

    @Inject
    DeliverProcessor(Departure departure) {
        this.departure = departure;
    }

    @Override
    public @Nullable Object processItem(Object item) {
        List<Candidate> batch =
                ((List<?>) item).stream().map(Candidate.class::cast).toList();
        return batch.isEmpty() ? null : departure.depart(batch).orElse(null);
    }
}
