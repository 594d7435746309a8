package dev.ringfence.transport;

import java.util.List;

/**
 * A valid acknowledgement of profile {@link AckProfile#RECEIPT} (HT-2): its checked fields and nothing else of the
 * answer.
 *
 * @param ok always true
 * @param stored events that were new to the receiver
 * @param deduped events it had already; the two add up to the number sent
 * @param scope always {@code app}
 * @param results one for each event, in the order sent
 */
public record Receipt(boolean ok, long stored, long deduped, String scope, List<Result> results) {
    public Receipt {
        results = List.copyOf(results);
    }

    /**
     * What the receiver made of one event.
     *
     * @param appId the event's app id
     * @param scope always {@code app}
     * @param id the receiver's number for it: 1 to 19 ASCII digits
     */
    public record Result(String appId, String scope, String id) {}
}
