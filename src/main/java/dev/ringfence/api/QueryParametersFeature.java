package dev.ringfence.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.DynamicFeature;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.FeatureContext;
import jakarta.ws.rs.ext.Provider;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Set;
import java.util.TreeSet;

/** Has each resource method refuse query parameters that it does not declare: a filter that is misspelled must not filter nothing. */
@Provider
@ApplicationScoped
public class QueryParametersFeature implements DynamicFeature {

    @Override
    public void configure(ResourceInfo resource, FeatureContext features) {
        features.register(new QueryParametersFilter(declaredBy(resource.getResourceMethod())));
    }

    private static Set<String> declaredBy(Method method) {
        Set<String> names = new TreeSet<>();
        for (Parameter parameter : method.getParameters()) {
            QueryParam query = parameter.getAnnotation(QueryParam.class);
            if (query != null) {
                names.add(query.value());
            } else if (parameter.isAnnotationPresent(BeanParam.class)) {
                addFields(parameter.getType(), names);
            }
        }
        return names;
    }

    private static void addFields(Class<?> bean, Set<String> names) {
        for (Class<?> type = bean; type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                QueryParam query = field.getAnnotation(QueryParam.class);
                if (query != null) {
                    names.add(query.value());
                }
            }
        }
    }
}
