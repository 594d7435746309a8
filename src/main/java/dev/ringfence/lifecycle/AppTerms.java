package dev.ringfence.lifecycle;

import java.time.Duration;

/**
 * What a sending application was registered with, as far as its tenants are concerned.
 *
 * @param enabled whether it may act at all (RT-2)
 * @param minSkewBound the least bound that its own times must carry (LC-5)
 */
record AppTerms(boolean enabled, Duration minSkewBound) {

    static AppTerms of(TenantLifecycle row) {
        return new AppTerms(row.appEnabled(), row.minSkewBound());
    }
}
