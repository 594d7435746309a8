package dev.ringfence.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import jakarta.annotation.security.DenyAll;
import jakarta.annotation.security.PermitAll;
import jakarta.annotation.security.RolesAllowed;
import jakarta.persistence.Entity;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;

/**
 * The structure that {@code docs/architecture.md} draws, as rules: packages by feature, imports that only point downwards, and
 * the places where SQL, transactions, threads of the batch runtime, keys and clocks may be touched.
 */
@AnalyzeClasses(packages = "dev.ringfence", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    /** Highest first: a package may import only packages that stand below it. */
    static final List<String> LAYERS = List.of(
            "health",
            "wake",
            "job",
            "receipt",
            "reservation",
            "fanout",
            "tracking",
            "recording",
            "redaction",
            "operator",
            "feed",
            "retention",
            "ordering",
            "delivery",
            "subscription",
            "outbox",
            "lifecycle",
            "fence",
            "inbox",
            "apps",
            "idempotency",
            "schema",
            "audit",
            "api",
            "security",
            "transport",
            "signing",
            "json",
            "erasure",
            "time",
            "transaction",
            "background",
            "management",
            "config");

    @ArchTest
    static final ArchRule no_cycles =
            slices().matching("dev.ringfence.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule imports_point_downwards = classes()
            .that()
            .resideInAPackage("dev.ringfence..")
            .should(importOnlyLowerPackages())
            .as("a package imports only packages below it in " + LAYERS);

    @ArchTest
    static final ArchRule signing_depends_on_nothing_of_ours = noClasses()
            .that()
            .resideInAPackage("..signing..")
            .should()
            .dependOnClassesThat(resideInAPackage("dev.ringfence..")
                    .and(DescribedPredicate.not(resideInAPackage("dev.ringfence.signing.."))))
            .because("receivers reuse it");

    @ArchTest
    static final ArchRule batch_only_in_job = only("jakarta.batch..", "job", "wake");

    @ArchTest
    static final ArchRule ejb_only_where_work_begins = only("jakarta.ejb..", "wake", "background");

    @ArchTest
    static final ArchRule driver_only_where_jdbc_ends = only("org.postgresql..", "wake", "fence");

    @ArchTest
    static final ArchRule http_clients_only_in_transport = noClasses()
            .that()
            .resideOutsideOfPackage("dev.ringfence.transport..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.net.http..", "org.apache.hc.."));

    @ArchTest
    static final ArchRule crypto_only_in_signing_and_security = only("javax.crypto..", "signing", "security");

    @ArchTest
    static final ArchRule sql_only_in_repositories = noClasses()
            .that()
            .haveSimpleNameNotEndingWith("Repository")
            .and()
            .resideOutsideOfPackages("dev.ringfence.fence..", "dev.ringfence.schema..", "dev.ringfence.config..")
            .and(DescribedPredicate.not(nestedInRepository()))
            .should()
            .dependOnClassesThat(DescribedPredicate.describe(
                    "speak SQL",
                    c -> c.getName().equals("java.sql.Connection")
                            || c.getName().equals("java.sql.PreparedStatement")
                            || c.getName().equals("java.sql.Statement")
                            || c.getName().equals("java.sql.ResultSet")
                            || c.getName().equals("jakarta.persistence.EntityManager")
                            || c.getName().equals("jakarta.persistence.Query")));

    @ArchTest
    static final ArchRule requires_new_only_where_a_step_commits = noMethods()
            .that()
            .areDeclaredInClassesThat(DescribedPredicate.not(resideInAnyPackage(
                    "dev.ringfence.fanout..",
                    "dev.ringfence.reservation..",
                    "dev.ringfence.receipt..",
                    "dev.ringfence.ordering..",
                    "dev.ringfence.redaction..")))
            .should(beRequiresNew());

    @ArchTest
    static final ArchRule time_comes_from_one_place = noClasses()
            .that()
            .resideOutsideOfPackage("dev.ringfence.time..")
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(java.time.Instant.class, "now")
            .orShould()
            .callMethod(java.time.OffsetDateTime.class, "now")
            .orShould()
            .callMethod(java.time.LocalDateTime.class, "now")
            .orShould()
            .callMethod(java.time.ZonedDateTime.class, "now")
            .orShould()
            .callMethod(java.time.LocalDate.class, "now")
            .orShould()
            .callMethod(java.time.Clock.class, "systemUTC")
            .orShould()
            .callMethod(java.time.Clock.class, "systemDefaultZone")
            .orShould()
            .callConstructor(java.util.Date.class);

    @ArchTest
    static final ArchRule nothing_sleeps = noClasses()
            .should()
            .callMethod(Thread.class, "sleep", long.class)
            .because("a wait has a condition and a bound");

    @ArchTest
    static final ArchRule json_begins_in_one_place = noClasses()
            .that()
            .doNotHaveSimpleName("JsonFactories")
            .should()
            .callConstructor(ObjectMapper.class)
            .orShould()
            .callMethod(JsonNode.class, "toString")
            .orShould()
            .callMethod(ObjectNode.class, "toString")
            .orShould()
            .callConstructor(JsonFactory.class)
            .orShould()
            .callMethod(JsonFactory.class, "builder")
            .because("Jackson's own buffers would stay with the server's threads after a redeployment");

    @ArchTest
    static final ArchRule names_say_what_a_class_does =
            noClasses().should().haveNameMatching(".*(Impl|Util|Utils|Helper|Manager|Dto|DTO)");

    @ArchTest
    static final ArchRule entities_keep_their_invariants = noMethods()
            .that()
            .areDeclaredInClassesThat()
            .areAnnotatedWith(Entity.class)
            .and()
            .arePublic()
            .should()
            .haveNameMatching("set[A-Z].*");

    @ArchTest
    static final ArchRule every_operation_is_authorised = methods()
            .that()
            .areAnnotatedWith(GET.class)
            .or()
            .areAnnotatedWith(POST.class)
            .or()
            .areAnnotatedWith(PUT.class)
            .or()
            .areAnnotatedWith(PATCH.class)
            .or()
            .areAnnotatedWith(DELETE.class)
            .should()
            .beAnnotatedWith(RolesAllowed.class)
            .orShould()
            .beAnnotatedWith(PermitAll.class)
            .orShould()
            .beAnnotatedWith(DenyAll.class);

    @ArchTest
    static final ArchRule packages_are_null_marked = classes()
            .that()
            .resideInAPackage("dev.ringfence..")
            .and()
            .haveSimpleName("package-info")
            .should()
            .beAnnotatedWith(NullMarked.class);

    @ArchTest
    static final ArchRule no_requires_new_through_this = noClasses()
            .should(callOwnTransactionalMethod())
            .because("a call through this bypasses the transaction (D24)");

    private static ArchRule only(String library, String... packages) {
        String[] allowed = new String[packages.length];
        for (int i = 0; i < packages.length; i++) allowed[i] = "dev.ringfence." + packages[i] + "..";
        return noClasses()
                .that()
                .resideOutsideOfPackages(allowed)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library);
    }

    private static DescribedPredicate<JavaClass> nestedInRepository() {
        return DescribedPredicate.describe(
                "nested in a repository", c -> c.getName().matches(".*Repository\\$.*"));
    }

    private static ArchCondition<JavaClass> importOnlyLowerPackages() {
        Map<String, Integer> level = new LinkedHashMap<>();
        for (int i = 0; i < LAYERS.size(); i++) level.put(LAYERS.get(i), i);
        return new ArchCondition<>("import only lower packages") {
            @Override
            public void check(JavaClass origin, ConditionEvents events) {
                String from = feature(origin);
                Integer own = level.get(from);
                if (own == null) {
                    events.add(SimpleConditionEvent.violated(origin, origin.getName() + " is in no known package"));
                    return;
                }
                origin.getDirectDependenciesFromSelf().forEach(d -> {
                    JavaClass target = d.getTargetClass();
                    if (!target.getPackageName().startsWith("dev.ringfence")) return;
                    String to = feature(target);
                    Integer theirs = level.get(to);
                    if (!to.equals(from) && (theirs == null || theirs <= own)) {
                        events.add(SimpleConditionEvent.violated(origin, d.getDescription()));
                    }
                });
            }
        };
    }

    private static String feature(JavaClass c) {
        String[] parts = c.getPackageName().split("\\.");
        return parts.length > 2 ? parts[2] : "";
    }

    private static ArchCondition<com.tngtech.archunit.core.domain.JavaMethod> beRequiresNew() {
        return new ArchCondition<>("be REQUIRES_NEW") {
            @Override
            public void check(com.tngtech.archunit.core.domain.JavaMethod method, ConditionEvents events) {
                boolean requiresNew = method.isAnnotatedWith(Transactional.class)
                        && method.getAnnotationOfType(Transactional.class).value() == Transactional.TxType.REQUIRES_NEW;
                events.add(new SimpleConditionEvent(method, requiresNew, method.getFullName() + " is REQUIRES_NEW"));
            }
        };
    }

    private static ArchCondition<JavaClass> callOwnTransactionalMethod() {
        return new ArchCondition<>("call its own @Transactional method") {
            @Override
            public void check(JavaClass c, ConditionEvents events) {
                List<String> own = new ArrayList<>();
                c.getMethods().stream()
                        .filter(m -> m.isAnnotatedWith(Transactional.class)
                                && !m.getModifiers().contains(JavaModifier.STATIC))
                        .forEach(m -> own.add(m.getFullName()));
                c.getMethodCallsFromSelf().stream()
                        .filter(call -> own.contains(call.getTarget().getFullName()))
                        .forEach(call -> events.add(SimpleConditionEvent.satisfied(c, call.getDescription())));
            }
        };
    }
}
