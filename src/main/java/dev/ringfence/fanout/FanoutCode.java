package dev.ringfence.fanout;

/** Why an event was not published, as a closed list: the outbox keeps a code and its fixed text, never the text of an exception (AT-7). */
public enum FanoutCode {
    /** Somebody holds the tenant's fence exclusively; the event is tried again soon and the try does not count. */
    FENCE_TAKEN("The tenant's fence was taken; fan-out is tried again."),
    /** The publish transaction failed for this event. */
    FANOUT_FAILED("The transaction that publishes this event failed."),
    /** The stored envelope is no JSON object, so no match filter can be asked. */
    MALFORMED_PAYLOAD("The stored envelope is not a JSON object."),
    /** The tenant has a newer installation, or none: the event belongs to one that is gone (RC-3). */
    STALE_EPOCH("The event belongs to an earlier installation of the tenant."),
    /** The tenant was redacted after the event was recorded. */
    TENANT_REDACTED("The tenant is redacted."),
    /** The sending application is disabled (RT-2). */
    APP_DISABLED("The sending application is disabled.");

    private final String text;

    FanoutCode(String text) {
        this.text = text;
    }

    /** The fixed sentence that is stored beside the code. */
    public String text() {
        return text;
    }
}
