package dev.perhaps.lab;

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

/** The arrows between the packages of the lab, and what it sees of the other modules. */
class ArchitectureTest {
    private static final String FRONT = "dev.perhaps.lab";
    private static final JavaClasses LAB = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(FRONT);

    /** The list of all experiments. */
    private static final String REGISTRY = FRONT + ".Lab";

    /** What experiments are about. They do not see each other. */
    private static final List<String> SUBJECTS = List.of("filters", "guard", "paradox", "ring", "sharing");

    /** A hidden package of another module, who may see it in this one, and why. */
    private record Guest(String hidden, List<String> rooms, String reason) {
        Stream<String> lines() {
            return rooms.stream().map(room -> room(room) + " sees " + hidden);
        }
    }

    private static final List<Guest> GUESTS = List.of(
            new Guest("dev.perhaps.io", List.of(""), "files of results appear whole or not at all"),
            new Guest(
                    "dev.perhaps.hash",
                    List.of("filters", "paradox"),
                    "the papers' own structures are given hashes as independent as those of the library"),
            new Guest(
                    "dev.perhaps.membership.bloom",
                    List.of("filters", "paradox"),
                    "what is measured is compared with the formulas by which filters are planned"),
            new Guest(
                    "dev.perhaps.membership.counting",
                    List.of("filters"),
                    "what is measured is compared with the formulas by which filters are planned"),
            new Guest(
                    "dev.perhaps.chord.model",
                    List.of("ring"),
                    "the rings of millions of members are made for the lab"),
            new Guest("dev.perhaps.chord.simulation", List.of("ring"), "the lab looks for histories that break a ring"),
            new Guest(
                    "dev.perhaps.proxy.sharing",
                    List.of("sharing"),
                    "the lab simulates caches with the classes by which proxies decide"));

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
                .check(LAB);
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
                            .map(ArchitectureTest::room)
                            .toArray(String[]::new))
                    .check(LAB);
        }
    }

    @Test
    void onlyTheListOfExperimentsSeesThem() {
        noClasses()
                .that()
                .resideInAPackage(FRONT)
                .and()
                .doNotHaveFullyQualifiedName(REGISTRY)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        SUBJECTS.stream().map(ArchitectureTest::room).toArray(String[]::new))
                .check(LAB);
    }

    /** The class that lists all experiments is in the front, and is the last to the right. */
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
                        return "packages, and the list of all experiments";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(LAB);
    }

    /** Both ways: a guest that is not listed fails, and so does one that no longer comes. */
    @Test
    void hiddenPackagesOfOtherModulesAreSeenByTheirGuestsOnly() throws IOException {
        Set<String> exported = exported();
        Set<String> seen = new TreeSet<>();
        for (JavaClass type : LAB) {
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
