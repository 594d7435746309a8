package dev.ringfence.subscription;

/** What a dead delivery means for those that wait behind it in the order of their key (OB-5). Stored by name. */
public enum OnDead {
    /** They go on without it. */
    CONTINUE,
    /** They wait until an operator has sent it again or discarded it. */
    BLOCK
}
