package dev.ringfence.recording;

import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.outbox.DedupeKey;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The natural id of a milestone (RC-4): whoever knows the occurrence can compute it. SHA-256 over the compact JSON array of its
 * parts, byte for byte what {@code JSON.stringify} makes of them, so that producers in other languages get the same.
 */
final class MilestoneId {
    private final StringBuilder json = new StringBuilder(256);

    private MilestoneId() {}

    /**
     * Lower-case hex of the hash.
     *
     * @param occurrenceKey takes the place of the revision where there is one
     */
    static String of(
            TenantRef tenant, UUID epoch, String name, MilestoneContext context, @Nullable String occurrenceKey) {
        MilestoneId id = new MilestoneId();
        id.json.append('[');
        id.text(tenant.appId().toString()).comma();
        id.text(tenant.tenant()).comma();
        id.text(epoch.toString()).comma();
        id.occurrence(name, context, occurrenceKey);
        id.json.append(']');
        return HexFormat.of().formatHex(DedupeKey.sha256(id.bytes()));
    }

    /** What tells milestones of one tenant and epoch apart. */
    static DedupeKey key(String name, MilestoneContext context, @Nullable String occurrenceKey) {
        MilestoneId id = new MilestoneId();
        id.occurrence(name, context, occurrenceKey);
        return DedupeKey.ofMilestone(id.json.toString());
    }

    private void occurrence(String name, MilestoneContext context, @Nullable String occurrenceKey) {
        text(name).comma();
        if (occurrenceKey == null) {
            json.append(context.configurationRevision());
        } else {
            text(occurrenceKey);
        }
        comma();
        String theme = context.publishedThemeId();
        if (theme == null) {
            json.append("null");
        } else {
            text(theme);
        }
        comma();
        json.append(context.enableGeneration());
    }

    private byte[] bytes() {
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void comma() {
        json.append(',');
    }

    /** ECMA-262 QuoteJSONString. Lone surrogates never come so far: the request's reader refuses them. */
    private MilestoneId text(String value) {
        json.append('"');
        value.codePoints().forEach(this::character);
        json.append('"');
        return this;
    }

    private void character(int c) {
        switch (c) {
            case '"' -> json.append("\\\"");
            case '\\' -> json.append("\\\\");
            case '\b' -> json.append("\\b");
            case '\f' -> json.append("\\f");
            case '\n' -> json.append("\\n");
            case '\r' -> json.append("\\r");
            case '\t' -> json.append("\\t");
            default -> {
                if (c < ' ') {
                    json.append("\\u00").append(HexFormat.of().toHexDigits((byte) c));
                } else {
                    json.appendCodePoint(c);
                }
            }
        }
    }
}
