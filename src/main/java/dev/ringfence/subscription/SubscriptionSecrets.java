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

/** Keeps the secrets of subscriptions sealed, and opens them for the moment of signing (SC-2). */
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

    /** Seals one secret for each signing entry, in the caller's transaction. */
    void store(UUID subscriptionId, List<WebhookSecret> secrets, Instant now) {
        for (int entry = 0; entry < secrets.size(); entry++) {
            byte[] clear = secrets.get(entry).reveal().getBytes(StandardCharsets.UTF_8);
            rows.insert(new SealedSecret(subscriptionId, entry, box.seal(purpose(subscriptionId, entry), clear)), now);
        }
    }

    /**
     * What each subscription signs with now, in one round trip; one element for each of its signing entries. Take it anew for each
     * batch: a rotated secret ends with its grace.
     *
     * @throws dev.ringfence.security.SecretUnreadable where {@code ringfence.secrets.key} is not the one that sealed them
     */
    public Map<UUID, List<SigningKeys>> signingKeys(Collection<Subscription> subscriptions) {
        List<UUID> ids = subscriptions.stream().map(Subscription::id).toList();
        Map<UUID, List<SealedSecret>> valid = rows.validAt(ids, clock.instant()).stream()
                .collect(Collectors.groupingBy(SealedSecret::subscriptionId));
        Map<UUID, List<SigningKeys>> keys = new HashMap<>();
        for (Subscription subscription : subscriptions) {
            keys.put(subscription.id(), open(subscription, valid.getOrDefault(subscription.id(), List.of())));
        }
        return keys;
    }

    private List<SigningKeys> open(Subscription subscription, List<SealedSecret> secrets) {
        Map<Integer, List<SealedSecret>> byEntry =
                secrets.stream().collect(Collectors.groupingBy(SealedSecret::entry, TreeMap::new, Collectors.toList()));
        return byEntry.entrySet().stream()
                .map(entry -> new SigningKeys(
                        subscription.signing().get(entry.getKey()).prefix(),
                        entry.getValue().stream().map(this::key).toList()))
                .toList();
    }

    private byte[] key(SealedSecret secret) {
        byte[] clear = box.open(purpose(secret.subscriptionId(), secret.entry()), secret.sealed());
        return WebhookSecret.parse(new String(clear, StandardCharsets.UTF_8)).key();
    }

    private static String purpose(UUID subscriptionId, int entry) {
        return "subscription " + subscriptionId + " entry " + entry;
    }
}
