package dev.ringfence.subscription;

import dev.ringfence.security.SecretBox;
import dev.ringfence.signing.WebhookSecret;
import dev.ringfence.subscription.SubscriptionSecretsRepository.SealedSecret;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/** Keeps the secrets of subscriptions sealed, and opens them for the moment of sending (SC-2). */
@ApplicationScoped
public class SubscriptionSecrets {

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

    private void store(UUID subscriptionId, int entry, String secret, Instant now) {
        byte[] clear = secret.getBytes(StandardCharsets.UTF_8);
        rows.insert(new SealedSecret(subscriptionId, entry, box.seal(purpose(subscriptionId, entry), clear)), now);
    }

    /**
     * What each subscription signs and authorizes itself with now, in one round trip. Take it anew for each batch: a rotated secret ends
     * with its grace.
     *
     * @throws dev.ringfence.security.SecretUnreadable where {@code ringfence.secrets.key} is not the one that sealed them
     */
    public Map<UUID, RequestSecrets> open(Collection<Subscription> subscriptions) {
        List<UUID> ids = subscriptions.stream().map(Subscription::id).toList();
        Map<UUID, List<SealedSecret>> valid = rows.validAt(ids, clock.instant()).stream()
                .collect(Collectors.groupingBy(SealedSecret::subscriptionId));
        Map<UUID, RequestSecrets> opened = new HashMap<>();
        for (Subscription subscription : subscriptions) {
            opened.put(subscription.id(), open(subscription, valid.getOrDefault(subscription.id(), List.of())));
        }
        return opened;
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
