package dev.ringfence.subscription;

import java.util.List;

/**
 * The event families whose delivery was accepted (SB-5). Unlike a type list, an empty one allows nothing: that is a revocation.
 *
 * @param families {@code *}, {@code prefix.*} or exact event names
 */
public record Grants(List<String> families) {

    public Grants {
        families = List.copyOf(families);
    }

    /** What creating a subscription accepts when it names no grants: the types that it asks for, or all for an empty type list. */
    static Grants impliedBy(EventTypeFilter types) {
        return new Grants(types.patterns().isEmpty() ? List.of("*") : types.patterns());
    }

    public boolean allow(String eventName) {
        return families.stream().anyMatch(family -> TypePattern.matches(family, eventName));
    }
}
