package dev.ringfence.apps;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * One operation of the interface that needs a key, read from the resource classes, so that no new one can be forgotten.
 *
 * @param template path with parameters in braces
 */
record Operation(String method, String template, Set<String> roles) {

    static List<Operation> withKey() {
        List<Operation> operations = new ArrayList<>();
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.ringfence")) {
            if (type.isAnnotatedWith(Path.class)) {
                addAll(type.reflect(), operations);
            }
        }
        if (operations.size() < 8) {
            throw new IllegalStateException("the resources were not found: " + operations);
        }
        return operations;
    }

    boolean ofAnApp() {
        return template.contains("{app}");
    }

    String path(String app) {
        return template.replace("{app}", app).replaceAll("\\{[^}]+}", "00000000-0000-4000-8000-000000000001");
    }

    private static void addAll(Class<?> resource, List<Operation> operations) {
        for (Method method : resource.getDeclaredMethods()) {
            RolesAllowed roles = method.getAnnotation(RolesAllowed.class);
            for (Annotation annotation : method.getAnnotations()) {
                HttpMethod verb = annotation.annotationType().getAnnotation(HttpMethod.class);
                if (verb != null && roles != null) {
                    operations.add(new Operation(
                            verb.value(), template(resource, method), Set.copyOf(Arrays.asList(roles.value()))));
                }
            }
        }
    }

    private static String template(Class<?> resource, Method method) {
        Path own = method.getAnnotation(Path.class);
        String path = resource.getAnnotation(Path.class).value() + (own == null ? "" : "/" + own.value());
        return path.replaceAll("/+", "/").replaceFirst("^/", "");
    }
}
