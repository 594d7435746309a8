package dev.ringfence.api;

import dev.ringfence.security.Macs;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Issues correlation ids and recognises its own (EV-4). */
@ApplicationScoped
public class CorrelationIds {

    private static final String PREFIX = "cor_";
    private static final String PURPOSE = "correlation";
    private static final int RANDOM_BYTES = 16;
    private static final int MAC_BYTES = 16;
    private static final UUID NO_APP = new UUID(0, 0);
    private static final Pattern SYNTAX = Pattern.compile("cor_[A-Za-z0-9_-]{44}");
    /** 33 bytes fill 44 characters, so one byte tells the version. */
    private static final byte VERSION = 1;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final @Nullable Macs macs;

    /** For the container's proxy. */
    CorrelationIds() {
        macs = null;
    }

    @Inject
    public CorrelationIds(Macs macs) {
        this.macs = macs;
    }

    /** A fresh id of that application's workflow; {@code null} where the request belongs to none. */
    public CorrelationId issue(@Nullable UUID app) {
        byte[] random = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(random);
        byte[] id = ByteBuffer.allocate(1 + RANDOM_BYTES + MAC_BYTES)
                .put(VERSION)
                .put(random)
                .put(code(app, random))
                .array();
        return new CorrelationId(
                PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(id));
    }

    /** The id that a client sent back, if this installation issued it for that application. */
    public Optional<CorrelationId> accept(@Nullable UUID app, @Nullable String sent) {
        if (sent == null || !SYNTAX.matcher(sent).matches()) {
            return Optional.empty();
        }
        byte[] id = Base64.getUrlDecoder().decode(sent.substring(PREFIX.length()));
        byte[] random = Arrays.copyOfRange(id, 1, 1 + RANDOM_BYTES);
        byte[] code = Arrays.copyOfRange(id, 1 + RANDOM_BYTES, id.length);
        return id[0] == VERSION && Macs.same(code, code(app, random))
                ? Optional.of(new CorrelationId(sent))
                : Optional.empty();
    }

    private byte[] code(@Nullable UUID app, byte[] random) {
        byte[] message = ((app == null ? NO_APP : app) + "\n"
                        + Base64.getEncoder().encodeToString(random))
                .getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(Objects.requireNonNull(macs).mac(PURPOSE, message), MAC_BYTES);
    }
}
