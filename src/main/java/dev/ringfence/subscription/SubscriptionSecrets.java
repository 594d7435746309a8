package dev.ringfence.subscription;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.json.BadJson;
import dev.ringfence.security.SecretBox;
import dev.ringfence.security.SecretUnreadable;
import dev.ringfence.signing.WebhookSecret;
import dev.ringfence.subscription.SubscriptionSecretsRepository.SealedSecret;
import dev.ringfence.transport.TlsMaterial;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/** Keeps the secrets of subscriptions sealed, and opens them for the moment of sending (SC-2). */
@ApplicationScoped
public class SubscriptionSecrets {

    /** Secrets that one entry may sign with at once. */
    static final int MOST_VALID = 5;

    private final SubscriptionSecretsRepository rows;
    private final SecretBox box;
    private final Clock clock;

    @Inject
    public SubscriptionSecrets(SubscriptionSecretsRepository rows, SecretBox box, Clock clock) {
        this.rows = rows;
        this.box = box;
        this.clock = clock;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    protected SubscriptionSecrets() {
        this.rows = null;
        this.box = null;
        this.clock = null;
    }

    /** Seals one secret for each signing entry, and how the receiver is approached, in the caller's transaction. */
    void store(UUID subscriptionId, List<WebhookSecret> secrets, ReceiverAccess access, Instant now) {
        for (int entry = 0; entry < secrets.size(); entry++) {
            store(subscriptionId, entry, secrets.get(entry).reveal(), now);
        }
        SealedAccess.texts(access).forEach((entry, text) -> store(subscriptionId, entry, text, now));
    }

    /**
     * Gives each signing entry a new secret, in the caller's transaction, which holds the subscription's row. Those before sign too until
     * their grace ends.
     *
     * @throws ApiProblem 409 {@code TOO_MANY_SECRETS} where an entry signs with {@value #MOST_VALID} already
     */
    void rotate(Subscription subscription, List<WebhookSecret> secrets, Instant graceEnd, Instant now) {
        UUID id = subscription.id();
        rows.deleteEnded(id, now);
        Map<Integer, Long> valid = rows.validAt(List.of(id), now).stream()
                .collect(Collectors.groupingBy(SealedSecret::entry, Collectors.counting()));
        for (int entry = 0; entry < secrets.size(); entry++) {
            boolean ends = !graceEnd.isAfter(now);
            if (!ends && valid.getOrDefault(entry, 0L) >= MOST_VALID) {
                throw ApiProblem.conflict(
                        "TOO_MANY_SECRETS",
                        "Too many earlier secrets are in their grace; rotate without grace, or later.");
            }
            rows.endBy(id, entry, graceEnd);
            store(id, entry, secrets.get(entry).reveal(), now);
        }
    }

    /** Puts another access of those kinds in the place of the present one, or takes it away. */
    void replace(UUID subscriptionId, Collection<Integer> kinds, ReceiverAccess access, Instant now) {
        kinds.forEach(kind -> rows.delete(subscriptionId, kind));
        SealedAccess.texts(access).forEach((entry, text) -> store(subscriptionId, entry, text, now));
    }

    /**
     * The certificates of one subscription.
     *
     * @throws dev.ringfence.security.SecretUnreadable as {@link #open}
     */
    TlsMaterial tls(UUID subscriptionId) {
        Map<Integer, String> text = rows.validAt(List.of(subscriptionId), clock.instant()).stream()
                .filter(secret -> secret.entry() == SealedAccess.TLS)
                .collect(Collectors.toMap(SealedSecret::entry, this::clear, (newest, older) -> newest));
        return SealedAccess.access(text).tls();
    }

    private void store(UUID subscriptionId, int entry, String secret, Instant now) {
        byte[] clear = secret.getBytes(StandardCharsets.UTF_8);
        rows.insert(new SealedSecret(subscriptionId, entry, box.seal(purpose(subscriptionId, entry), clear)), now);
    }

    /**
     * What each subscription signs and authorizes itself with now, in one round trip. Take it anew for each batch: a rotated secret ends
     * with its grace. A subscription of whose secrets one cannot be read has no entry, and takes nothing from the others (HT-5):
     * {@code ringfence.secrets.key} is not the one that sealed it, or its row was changed.
     */
    public Map<UUID, RequestSecrets> open(Collection<Subscription> subscriptions) {
        List<UUID> ids = subscriptions.stream().map(Subscription::id).toList();
        Map<UUID, List<SealedSecret>> valid = rows.validAt(ids, clock.instant()).stream()
                .collect(Collectors.groupingBy(SealedSecret::subscriptionId));
        Map<UUID, RequestSecrets> opened = new HashMap<>();
        for (Subscription subscription : subscriptions) {
            List<SealedSecret> sealed = valid.getOrDefault(subscription.id(), List.of());
            tryOpen(subscription, sealed).ifPresent(secrets -> opened.put(subscription.id(), secrets));
        }
        return opened;
    }

    /** What can be opened and yet not read (its form, its entry) is as good as unreadable. */
    private Optional<RequestSecrets> tryOpen(Subscription subscription, List<SealedSecret> secrets) {
        try {
            return Optional.of(open(subscription, secrets));
        } catch (SecretUnreadable | BadJson | IllegalArgumentException | IndexOutOfBoundsException unreadable) {
            return Optional.empty();
        }
    }

    private RequestSecrets open(Subscription subscription, List<SealedSecret> secrets) {
        TreeMap<Integer, List<SealedSecret>> byEntry =
                secrets.stream().collect(Collectors.groupingBy(SealedSecret::entry, TreeMap::new, Collectors.toList()));
        Map<Integer, String> access = new TreeMap<>();
        byEntry.headMap(0).forEach((entry, newestFirst) -> access.put(entry, clear(newestFirst.get(0))));
        List<SigningKeys> signing = byEntry.tailMap(0).entrySet().stream()
                .map(entry -> new SigningKeys(
                        subscription.signing().get(entry.getKey()).prefix(),
                        entry.getValue().stream().map(this::key).toList()))
                .toList();
        return new RequestSecrets(signing, SealedAccess.access(access));
    }

    private byte[] key(SealedSecret secret) {
        return WebhookSecret.parse(clear(secret)).key();
    }

    private String clear(SealedSecret secret) {
        byte[] clear = box.open(purpose(secret.subscriptionId(), secret.entry()), secret.sealed());
        return new String(clear, StandardCharsets.UTF_8);
    }

    private static String purpose(UUID subscriptionId, int entry) {
        return "subscription " + subscriptionId + " entry " + entry;
    }
}
