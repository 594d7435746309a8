package dev.ringfence.security;

import java.util.Map;

/** The security headers that every answer of the API carries (SC-3). */
public final class SecurityHeaders {

    /** Name to value. */
    public static final Map<String, String> API = Map.of(
            "Cache-Control", "no-store",
            "X-Content-Type-Options", "nosniff",
            "X-Frame-Options", "DENY",
            "Referrer-Policy", "no-referrer",
            "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");

    private SecurityHeaders() {}
}
