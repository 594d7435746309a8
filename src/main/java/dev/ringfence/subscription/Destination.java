package dev.ringfence.subscription;

import dev.ringfence.transport.AckProfile;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a subscription's events go.
 *
 * @param url null except for {@link Mode#PUSH}; a delivery freezes it at fan-out (SB-4)
 * @param headers the subscriber's own headers, none of them reserved
 * @param ack what counts as an acknowledgement (HT-2)
 * @param timeout the deadline of one request over connect, headers and body (HT-1)
 * @param template the body that the receiver wants, null where it is the event's own envelope (SB-1)
 * @param access what is known of how requests make themselves known; how they do is a secret and so not part of this (HT-1)
 */
public record Destination(
        Mode mode,
        @Nullable String url,
        Map<String, String> headers,
        AckProfile ack,
        Duration timeout,
        @Nullable EnvelopeTemplate template,
        AccessTerms access) {

    public Destination {
        headers = Map.copyOf(headers);
    }

    /** Names neither URL nor headers: both may carry what the subscriber holds for confidential. */
    @Override
    public String toString() {
        return "Destination[" + mode + ", " + ack + "]";
    }
}
