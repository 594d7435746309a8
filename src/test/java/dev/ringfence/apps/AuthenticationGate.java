package dev.ringfence.apps;

import dev.ringfence.security.ApiKeyMechanism;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Specializes;
import jakarta.security.enterprise.AuthenticationStatus;
import jakarta.security.enterprise.authentication.mechanism.http.HttpMessageContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Deployed with the WAR by {@link SlowAuthenticationIT}: an authenticator that is as slow as the test wants. A request that names a gate in
 * {@link #HOLD} stays in its authentication until another one names it in {@link #OPEN}; one with {@link #ARRIVED} waits in its own until
 * somebody is held there. Nobody waits longer than three minutes.
 */
@Specializes
@ApplicationScoped
public class AuthenticationGate extends ApiKeyMechanism {

    static final String HOLD = "Test-Hold";
    static final String ARRIVED = "Test-Arrived";
    static final String OPEN = "Test-Open";

    private static final Map<String, Gate> GATES = new ConcurrentHashMap<>();

    private record Gate(CountDownLatch arrived, CountDownLatch opened) {
        static Gate named(String name) {
            return GATES.computeIfAbsent(name, any -> new Gate(new CountDownLatch(1), new CountDownLatch(1)));
        }
    }

    @Override
    public AuthenticationStatus validateRequest(
            HttpServletRequest request, HttpServletResponse response, HttpMessageContext context) {
        String hold = request.getHeader(HOLD);
        if (hold != null) {
            Gate.named(hold).arrived().countDown();
            pass(Gate.named(hold).opened());
        }
        String arrived = request.getHeader(ARRIVED);
        if (arrived != null) {
            pass(Gate.named(arrived).arrived());
        }
        String open = request.getHeader(OPEN);
        if (open != null) {
            Gate.named(open).opened().countDown();
        }
        return super.validateRequest(request, response, context);
    }

    private static void pass(CountDownLatch latch) {
        try {
            if (!latch.await(3, TimeUnit.MINUTES)) {
                throw new IllegalStateException("the gate of the test was not used");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
