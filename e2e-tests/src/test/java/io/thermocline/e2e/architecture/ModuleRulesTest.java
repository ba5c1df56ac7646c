package io.thermocline.e2e.architecture;

import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Dependencies between the modules point one way only; Flink, Hadoop and Paimon stay where they
 * belong.
 */
class ModuleRulesTest {

    /** Module to the modules it may use directly. Nothing may use {@code catalog}. */
    private static final Map<String, Set<String>> ALLOWED =
            Map.of(
                    "hot-store", Set.of(),
                    "lake", Set.of(),
                    "lake-paimon", Set.of("lake"),
                    "lake-iceberg", Set.of("lake"),
                    "union-read", Set.of("hot-store", "lake"),
                    "hot-server", Set.of("union-read", "hot-store", "lake"),
                    "connector-source", Set.of("union-read", "hot-server", "hot-store", "lake"),
                    "connector-sink", Set.of("union-read", "hot-server", "hot-store", "lake"),
                    "catalog",
                            Set.of(
                                    "connector-source",
                                    "connector-sink",
                                    "union-read",
                                    "hot-server",
                                    "hot-store",
                                    "lake"));

    private static final Set<String> LAKE_BINDINGS = Set.of("lake-paimon", "lake-iceberg");

    private static final Set<String> FLINK_MODULES =
            Set.of("connector-source", "connector-sink", "catalog");

    /** The Flink jars that hold types, rows, table definitions and what these stand on. */
    private static final Pattern FLINK_DATA_JAR =
            Pattern.compile(".*/flink-(table-common|table-runtime|core|core-api|annotations)-.*");

    /** A lake binding hands out the lake's own Flink catalog, whose class needs this jar. */
    private static final Pattern FLINK_API_JAR = Pattern.compile(".*/flink-table-api-java-\\d.*");

    private static final Pattern MODULE = Pattern.compile(".*/([a-z-]+)/target/.*");

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ModuleRulesTest::isProductLocation)
                    .importPackages("io.thermocline");

    @Test
    void everyModuleIsSeen() {
        Set<String> seen =
                CLASSES.stream()
                        .map(ModuleRulesTest::moduleOf)
                        .flatMap(Optional::stream)
                        .collect(Collectors.toSet());
        assertThat(seen).containsExactlyInAnyOrderElementsOf(ALLOWED.keySet());
    }

    @Test
    void dependenciesBetweenModulesPointOneWay() {
        classes()
                .should(
                        onlyUse(
                                "modules it may use",
                                (origin, target) ->
                                        moduleOf(target)
                                                .map(m -> mayUse(moduleOf(origin).orElseThrow(), m))
                                                .orElse(true)))
                .check(CLASSES);
    }

    @Test
    void aPackageBelongsToOneModule() {
        Map<String, String> owner = new HashMap<>();
        for (JavaClass c : CLASSES) {
            String module = moduleOf(c).orElseThrow();
            String before = owner.putIfAbsent(c.getPackageName(), module);
            assertThat(before == null ? module : before)
                    .as("package %s of %s", c.getPackageName(), c.getName())
                    .isEqualTo(module);
        }
    }

    /**
     * A module's top package is its contract: packages below implement it, and it names their
     * values. Among those below there are no cycles.
     */
    @Test
    void packagesBelowAModulesContractHaveNoCycles() {
        slices().matching("io.thermocline.(*).(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void flinkOutsideTheConnectorIsOnlyItsDataModel() {
        classes()
                .that(areNotIn(FLINK_MODULES))
                .should(onlyUse("Flink's data classes", ModuleRulesTest::isDataModel))
                .check(CLASSES);
    }

    @Test
    void thePlannerIsNowhere() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.flink.table.planner..", "org.apache.calcite..")
                .check(CLASSES);
    }

    @Test
    void hadoopAndTheLakesStayInTheirBindings() {
        classes()
                .should(
                        onlyUse(
                                "no class of a lake or Hadoop that is not its own",
                                (origin, target) ->
                                        lakeOf(target).isEmpty()
                                                || lakeOf(target)
                                                        .contains(moduleOf(origin).orElseThrow())))
                .check(CLASSES);
    }

    /** Modules that may use a class of a lake; empty for other classes. */
    private static Set<String> lakeOf(JavaClass target) {
        String name = target.getName();
        if (name.startsWith("org.apache.paimon.")) {
            return Set.of("lake-paimon");
        }
        if (name.startsWith("org.apache.iceberg.")) {
            return Set.of("lake-iceberg");
        }
        return name.startsWith("org.apache.hadoop.") ? LAKE_BINDINGS : Set.of();
    }

    private static boolean mayUse(String from, String to) {
        return from.equals(to) || ALLOWED.get(from).contains(to);
    }

    private static boolean isDataModel(JavaClass origin, JavaClass target) {
        String name = target.getName();
        if (!name.startsWith("org.apache.flink.")) {
            return true;
        }
        String source = target.getSource().map(s -> s.getUri().toString()).orElse("unknown");
        if (name.startsWith("org.apache.flink.table.runtime.")
                && !name.startsWith("org.apache.flink.table.runtime.typeutils.")) {
            return false;
        }
        return FLINK_DATA_JAR.matcher(source).matches()
                || (LAKE_BINDINGS.contains(moduleOf(origin).orElseThrow())
                        && FLINK_API_JAR.matcher(source).matches());
    }

    private static boolean isProductLocation(Location location) {
        Matcher m = MODULE.matcher(location.asURI().toString());
        return m.matches()
                && ALLOWED.containsKey(m.group(1))
                && !location.contains("test-classes")
                && !location.contains("-tests.jar");
    }

    private static Optional<String> moduleOf(JavaClass c) {
        return c.getSource()
                .map(source -> MODULE.matcher(source.getUri().toString()))
                .filter(m -> m.matches() && ALLOWED.containsKey(m.group(1)))
                .map(m -> m.group(1));
    }

    private static DescribedPredicate<JavaClass> areNotIn(Set<String> modules) {
        return DescribedPredicate.describe(
                "are not in " + modules,
                c -> moduleOf(c).map(m -> !modules.contains(m)).orElse(false));
    }

    private interface UseRule {
        boolean allows(JavaClass origin, JavaClass target);
    }

    private static ArchCondition<JavaClass> onlyUse(String what, UseRule rule) {
        return new ArchCondition<>("only use " + what) {
            @Override
            public void check(JavaClass origin, ConditionEvents events) {
                for (Dependency d : origin.getDirectDependenciesFromSelf()) {
                    JavaClass target = d.getTargetClass().getBaseComponentType();
                    if (!rule.allows(origin, target)) {
                        events.add(violated(origin, d.getDescription()));
                    }
                }
            }
        };
    }
}
