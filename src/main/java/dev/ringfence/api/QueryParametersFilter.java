package dev.ringfence.api;

import dev.ringfence.json.FieldError;
import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Refuses query parameters that one resource method does not know, and those that are given twice, as only one of them would count. */
@Priority(Priorities.USER)
final class QueryParametersFilter implements ContainerRequestFilter {

    private final Set<String> known;

    QueryParametersFilter(Set<String> known) {
        this.known = Set.copyOf(known);
    }

    @Override
    public void filter(ContainerRequestContext request) {
        List<FieldError> errors = new ArrayList<>();
        request.getUriInfo().getQueryParameters().forEach((name, values) -> {
            String pointer = FieldError.memberPointer("", name);
            if (!known.contains(name)) {
                errors.add(new FieldError(pointer, "UNKNOWN_FIELD", "this parameter is not known"));
            } else if (values.size() > 1) {
                errors.add(new FieldError(pointer, "DUPLICATE", "this parameter is given twice"));
            }
        });
        if (!errors.isEmpty()) {
            errors.sort(Comparator.comparing(FieldError::pointer));
            throw ApiProblem.invalid(errors);
        }
    }
}
