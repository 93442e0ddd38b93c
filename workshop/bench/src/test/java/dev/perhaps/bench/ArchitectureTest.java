package dev.perhaps.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URL;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The arrows between the packages of the benchmarks, and what they see of the other modules. */
class ArchitectureTest {
    private static final String FRONT = "dev.perhaps.bench";
    private static final JavaClasses BENCHMARKS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(FRONT);

    /** The command line, which lists all benchmarks. */
    private static final String REGISTRY = FRONT + ".Bench";

    /** What is measured. None sees another, except that threads share the stream of events of the counts. */
    private static final List<String> SUBJECTS =
            List.of("membership", "frequency", "similarity", "placement", "threads", "ring", "server");

    /** A hidden package of another module, who may see it in this one, and why. */
    private record Guest(String hidden, List<String> rooms, String reason) {
        Stream<String> lines() {
            return rooms.stream().map(room -> room(room) + " sees " + hidden);
        }
    }

    private static final List<Guest> GUESTS = List.of(
            new Guest(
                    "dev.perhaps.io",
                    List.of("", "membership", "frequency", "similarity", "placement", "threads", "ring", "server"),
                    "tables print numbers as the programs do"),
            new Guest(
                    "dev.perhaps.hash",
                    List.of("", "membership", "frequency", "similarity"),
                    "keys are drawn, and given to the peers, with the avalanche of the library"),
            new Guest(
                    "dev.perhaps.server.command",
                    List.of("server"),
                    "commands are measured without sockets: what a second thread brings, and what a key takes"),
            new Guest("dev.perhaps.server.keyspace", List.of("server"), "a database needs one"),
            new Guest("dev.perhaps.server.operation", List.of("server"), "a database needs settings"),
            new Guest(
                    "dev.perhaps.server.wire",
                    List.of("server"),
                    "a client without a socket needs a place for replies"));

    private static String room(String name) {
        return name.isEmpty() ? FRONT : FRONT + "." + name;
    }

    @Test
    void everyPackageHasItsPlace() {
        classes()
                .should()
                .resideInAnyPackage(Stream.concat(Stream.of(""), SUBJECTS.stream())
                        .map(ArchitectureTest::room)
                        .toArray(String[]::new))
                .check(BENCHMARKS);
    }

    @Test
    void subjectsDoNotSeeEachOther() {
        for (String subject : SUBJECTS) {
            noClasses()
                    .that()
                    .resideInAPackage(room(subject))
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(SUBJECTS.stream()
                            .filter(other -> !other.equals(subject))
                            .filter(other -> !(subject.equals("threads") && other.equals("frequency")))
                            .map(ArchitectureTest::room)
                            .toArray(String[]::new))
                    .check(BENCHMARKS);
        }
    }

    @Test
    void onlyTheCommandLineSeesThem() {
        noClasses()
                .that()
                .resideInAPackage(FRONT)
                .and()
                .doNotHaveFullyQualifiedName(REGISTRY)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        SUBJECTS.stream().map(ArchitectureTest::room).toArray(String[]::new))
                .check(BENCHMARKS);
    }

    /** The class that lists all benchmarks is in the front, and is the last to the right. */
    @Test
    void roomsHaveNoCycles() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return SliceIdentifier.of(
                                type.getFullName().equals(REGISTRY) ? REGISTRY : type.getPackageName());
                    }

                    @Override
                    public String getDescription() {
                        return "packages, and the list of all benchmarks";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(BENCHMARKS);
    }

    /** Both ways: a guest that is not listed fails, and so does one that no longer comes. */
    @Test
    void hiddenPackagesOfOtherModulesAreSeenByTheirGuestsOnly() throws IOException {
        Set<String> exported = exported();
        Set<String> seen = new TreeSet<>();
        for (JavaClass type : BENCHMARKS) {
            for (Dependency each : type.getDirectDependenciesFromSelf()) {
                String other = each.getTargetClass().getBaseComponentType().getPackageName();
                if (isOfTheHouse(other) && !isOwn(other) && !exported.contains(other)) {
                    seen.add(type.getPackageName() + " sees " + other);
                }
            }
        }
        assertThat(seen)
                .isEqualTo(GUESTS.stream().flatMap(Guest::lines).collect(Collectors.toCollection(TreeSet::new)));
    }

    private static boolean isOfTheHouse(String name) {
        return (name + ".").startsWith("dev.perhaps.");
    }

    private static boolean isOwn(String name) {
        return (name + ".").startsWith(FRONT + ".");
    }

    /** What modules on the class path export to all. */
    private static Set<String> exported() throws IOException {
        Set<String> exported = new HashSet<>();
        for (URL descriptor :
                Collections.list(ArchitectureTest.class.getClassLoader().getResources("module-info.class"))) {
            try (InputStream in = descriptor.openStream()) {
                ModuleDescriptor.read(in).exports().stream()
                        .filter(export -> !export.isQualified())
                        .forEach(export -> exported.add(export.source()));
            }
        }
        return exported;
    }
}
