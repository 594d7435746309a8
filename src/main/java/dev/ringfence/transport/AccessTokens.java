package dev.ringfence.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ringfence.time.NanoClock;
import java.net.URI;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tokens for receivers that want OAuth: asked for once at a time, kept until shortly before they expire, dropped where the receiver
 * refuses them. A request that waits for one has its own deadline; asking goes on without it, so that the next finds the token.
 * Receivers share no token, not even one client's: what one of them refuses is none of the others' business (HT-5).
 */
final class AccessTokens {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration MARGIN = Duration.ofSeconds(30);
    private static final long AGAIN_AFTER = Duration.ofSeconds(1).toNanos();

    /** No attempt waits longer for its next (DL-2). */
    private static final long LONGEST_WAIT = Duration.ofDays(30).toNanos();

    private static final int MOST_REFUSED = 10_000;

    private final Function<Outbound, CompletableFuture<Asked>> ask;
    private final NanoClock clock;
    private final ConcurrentHashMap<Holder, Entry> entries = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Refused, Long> refused = new ConcurrentHashMap<>();

    /** Who gets the token, and to show whom. */
    private record Holder(OAuthClient client, String receiver) {
        Holder(OAuthClient client, Destination receiver) {
            this(client, receiver.scheme() + "://" + receiver.hostHeader());
        }

        Refused refused() {
            return new Refused(client.tokenUrl(), client.clientId(), receiver);
        }
    }

    /** Remembered when the token is forgotten: without a secret, so that the next is known to replace one. */
    private record Refused(URI tokenUrl, String clientId, String receiver) {}

    /** What became of asking: a token, none, or (not begun) nothing that anybody but us is to blame for. */
    record Asked(Optional<TokenAnswer> answer, boolean begun) {}

    /** What there is for a request that needs a token. */
    sealed interface Held {
        record Token(AccessToken token) implements Held {}

        /** The authorization server gives none. */
        record Unavailable() implements Held {}

        /** It could not be asked, for a reason on our side. */
        record NotAsked() implements Held {}
    }

    private record Entry(CompletableFuture<Held> token, long since, AtomicLong used) {
        /** What has failed is tried again after a moment, not by everyone at once. */
        boolean isOver(long now) {
            if (!token.isDone()) {
                return false;
            }
            Held held = token.join();
            return held instanceof Held.Token known ? !known.token().isUsable(now) : now - since >= AGAIN_AFTER;
        }

        boolean isRefused() {
            return token.isDone()
                    && token.join() instanceof Held.Token known
                    && known.token().isRefused();
        }
    }

    /**
     * @param ask sends such a request; its future never fails
     */
    AccessTokens(Function<Outbound, CompletableFuture<Asked>> ask, NanoClock clock) {
        this.ask = ask;
        this.clock = clock;
    }

    /** The token of this client for the receiver. Never fails. */
    CompletableFuture<Held> of(OAuthClient client, Destination receiver) {
        Entry entry = entries.compute(
                new Holder(client, receiver),
                (key, known) -> known == null || known.isOver(clock.nanos()) ? begin(key, known) : known);
        entry.used().set(clock.nanos());
        return entry.token();
    }

    /** Lets go of what nobody has used for a while: neither secrets nor tokens should outlive their subscription for long. */
    void forget() {
        long now = clock.nanos();
        entries.forEach((holder, entry) -> {
            if (entry.token().isDone() && now - entry.used().get() >= TlsContexts.UNUSED) {
                if (entry.isRefused() && refused.size() < MOST_REFUSED) {
                    refused.put(holder.refused(), now);
                }
                entries.remove(holder, entry);
            }
        });
        refused.values().removeIf(since -> now - since >= LONGEST_WAIT);
    }

    int size() {
        return entries.size();
    }

    private Entry begin(Holder holder, @Nullable Entry before) {
        boolean renewal = (before != null && before.isRefused()) || refused.remove(holder.refused()) != null;
        long now = clock.nanos();
        return new Entry(
                ask.apply(request(holder.client(), now)).thenApply(asked -> held(asked, renewal)),
                now,
                new AtomicLong(now));
    }

    private Held held(Asked asked, boolean renewal) {
        if (!asked.begun()) {
            return new Held.NotAsked();
        }
        return asked.answer()
                .<Held>map(found -> new Held.Token(new AccessToken(found.token(), until(found.life()), renewal)))
                .orElseGet(Held.Unavailable::new);
    }

    private long until(Duration life) {
        Duration tenth = life.dividedBy(10);
        return clock.nanos()
                + life.minus(tenth.compareTo(MARGIN) < 0 ? tenth : MARGIN).toNanos();
    }

    private static Outbound request(OAuthClient client, long now) {
        String credentials = encoded(client.clientId()) + ":" + encoded(client.clientSecret());
        return new Outbound(
                client.tokenUrl(),
                Map.of(
                        "Content-Type", "application/x-www-form-urlencoded",
                        "Accept", "application/json",
                        "Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8))),
                "grant_type=client_credentials".getBytes(UTF_8),
                PATIENCE,
                now + PATIENCE.toNanos(),
                AckProfile.STATUS);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8);
    }
}
