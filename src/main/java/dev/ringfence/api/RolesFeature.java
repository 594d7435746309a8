package dev.ringfence.api;

import jakarta.annotation.security.PermitAll;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.container.DynamicFeature;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.FeatureContext;
import jakarta.ws.rs.ext.Provider;
import java.lang.reflect.Method;
import java.util.Set;

/**
 * Enforces {@code @RolesAllowed} ourselves (SC-1). Both servers ignore the annotation silently when one line of their
 * configuration is missing; with this filter such a server refuses instead. A method without annotation is refused too.
 */
@Provider
@ApplicationScoped
public class RolesFeature implements DynamicFeature {

    @Inject
    RequestContext request;

    @Override
    public void configure(ResourceInfo resource, FeatureContext features) {
        Method method = resource.getResourceMethod();
        if (method.isAnnotationPresent(PermitAll.class)) {
            return;
        }
        RolesAllowed allowed = method.getAnnotation(RolesAllowed.class);
        Set<String> roles = allowed == null ? Set.of() : Set.of(allowed.value());
        features.register(new RolesFilter(roles, request));
    }
}
