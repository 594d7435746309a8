package dev.ringfence.fence;

/** A fence of nobody, for tests of other packages that need one and no database. */
public final class NoFence {

    private NoFence() {}

    public static SharedFence shared() {
        return new SharedFence(null);
    }
}
