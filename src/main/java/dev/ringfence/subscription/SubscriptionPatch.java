package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.ringfence.json.StrictJson;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A merge patch of a subscription, its new destination already allowed. */
record SubscriptionPatch(JsonNode document) {

    /** The kinds of access that are written anew, or taken away. */
    Set<Integer> kinds() {
        Set<Integer> kinds = new TreeSet<>();
        if (document.has("auth")) {
            kinds.addAll(List.of(SealedAccess.BEARER, SealedAccess.OAUTH));
        }
        if (document.has("tls")) {
            kinds.add(SealedAccess.TLS);
        }
        return kinds;
    }

    /** Whether parts of the certificates before may stay: these are merged as everything else. {@code auth} is always given whole. */
    boolean keepsPartsOfTls() {
        JsonNode tls = document.path("tls");
        return tls.isObject() && !(tls.has("ca") && tls.has("cert") && tls.has("key"));
    }

    /** What stays of the access that the patch does not name. */
    AccessTerms kept(AccessTerms before) {
        boolean auth = !document.has("auth");
        boolean tls = !document.has("tls");
        return new AccessTerms(
                auth && before.bearer(),
                auth && before.oauth(),
                tls ? before.caExpires() : null,
                tls ? before.certExpires() : null);
    }

    /** The names of the members that it changes, for the audit; never their values, which may be confidential. */
    JsonNode fields() {
        ArrayNode names = (ArrayNode) StrictJson.tree(List.of());
        document.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
