package dev.ringfence.transport;

import dev.ringfence.config.Settings;
import dev.ringfence.time.NanoClock;
import dev.ringfence.transport.DestinationNotAllowed.Reason;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Keeps requests away from private, local and otherwise special addresses (HT-4). It judges parsed addresses, all of a
 * host's, and hands out those that it judged: the transport connects to them and to no others.
 * {@code ringfence.egress.allow} opens ranges and names.
 */
@ApplicationScoped
public class DestinationGuard {
    private static final Duration LOOKUP_AT_CONFIGURATION = Duration.ofSeconds(2);

    private final EgressAllow allow;
    private final NameResolver resolver;

    /** For the proxy only. */
    @SuppressWarnings("NullAway")
    DestinationGuard() {
        allow = null;
        resolver = null;
    }

    @Inject
    DestinationGuard(Settings settings, NanoClock clock) {
        this(
                new EgressAllow(settings.egressAllow()),
                new NameResolver(InetAddress::getAllByName, clock, TransportThreads.named("names")));
    }

    DestinationGuard(EgressAllow allow, NameResolver resolver) {
        this.allow = allow;
        this.resolver = resolver;
    }

    /** Makes the guard at start, so that an entry of {@code ringfence.egress.allow} that cannot be read stops the deployment. */
    void validateAtStart(@Observes @Initialized(ApplicationScoped.class) Object start) {}

    /**
     * Checks a URL that is being configured: its form, and where it leads now. Looks the name up, for two seconds at
     * most (names that the operator opened are not looked up): call it outside of transactions.
     *
     * @throws DestinationNotAllowed saying why
     */
    public void checkAtConfiguration(String url) {
        Destination destination = Destination.parse(url);
        if (allow.allowsName(destination.host())) {
            return;
        }
        Lookup lookup = await(permitted(destination));
        if (lookup instanceof Lookup.Refused) {
            throw new DestinationNotAllowed(Reason.ADDRESS);
        }
        if (!(lookup instanceof Lookup.Found)) {
            throw new DestinationNotAllowed(Reason.NAME_NOT_RESOLVED);
        }
    }

    private static Lookup await(CompletableFuture<Lookup> lookup) {
        try {
            return lookup.get(LOOKUP_AT_CONFIGURATION.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return new Lookup.Unknown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Lookup.Unknown();
        }
    }

    /**
     * The addresses to connect to, all of them judged; Refused where one is not allowed. Protected, not package-private:
     * a proxy in another class loader overrides it all the same.
     */
    protected CompletableFuture<Lookup> permitted(Destination destination) {
        return permitted(destination, () -> {});
    }

    /**
     * The same.
     *
     * @param begun see {@link NameResolver#resolve(String, Runnable)}
     */
    protected CompletableFuture<Lookup> permitted(Destination destination, Runnable begun) {
        InetAddress literal = destination.literal();
        if (literal != null) {
            return CompletableFuture.completedFuture(judge(destination.host(), new Lookup.Found(List.of(literal))));
        }
        return resolver.resolve(destination.host(), begun).thenApply(lookup -> judge(destination.host(), lookup));
    }

    /** The addresses of the egress proxy: the operator names it, so nobody judges them. */
    protected CompletableFuture<Lookup> unjudged(String host, Runnable begun) {
        InetAddress literal = IpText.parse(host);
        return literal == null
                ? resolver.resolve(host, begun)
                : CompletableFuture.completedFuture(new Lookup.Found(List.of(literal)));
    }

    /** Call it now and then, see {@link NameResolver#tend}. */
    protected void tend() {
        resolver.tend();
    }

    private Lookup judge(String host, Lookup lookup) {
        if (!(lookup instanceof Lookup.Found found) || allow.allowsName(host)) {
            return lookup;
        }
        boolean allowed =
                found.addresses().stream().allMatch(a -> allow.allowsAddress(a) || !SpecialAddresses.contains(a));
        return allowed ? lookup : new Lookup.Refused();
    }

    @PreDestroy
    void close() {
        resolver.close();
    }
}
