package dev.ringfence.fence;

/** The two modes of a tenant's fence (FN-2). */
enum Mode {
    /** Held by recording, delivery and context changes, by many at once. */
    SHARED("pg_advisory_unlock_shared"),
    /** Held by redaction, creation and re-enrolment, alone. */
    EXCLUSIVE("pg_advisory_unlock");

    private final String unlock;

    Mode(String unlockFunction) {
        this.unlock = "select k from unnest(?::bigint[]) k where not " + unlockFunction + "(k)";
    }

    /** A statement that unlocks an array of keys and returns those that were not locked. */
    String unlock() {
        return unlock;
    }
}
