package dev.ringfence.security;

import java.util.Set;

/** The roles of API keys (SC-1). Constants, because annotations name them. */
public final class Roles {

    public static final String CLIENT = "client";
    public static final String OPERATOR = "operator";
    public static final String AUDITOR = "auditor";
    public static final String ADMIN = "admin";

    /** All roles there are. */
    public static final Set<String> ALL = Set.of(CLIENT, OPERATOR, AUDITOR, ADMIN);

    private Roles() {}
}
