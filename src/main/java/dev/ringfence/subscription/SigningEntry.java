package dev.ringfence.subscription;

/**
 * One signature that each request carries (SG-1), without its secret.
 *
 * @param scheme so far always {@code webhook-id}
 * @param prefix of the three headers {@code {prefix}-id}, {@code {prefix}-timestamp}, {@code {prefix}-signature}
 */
public record SigningEntry(String scheme, String prefix) {

    public static final String WEBHOOK_ID = "webhook-id";
    static final String DEFAULT_PREFIX = "webhook";
}
