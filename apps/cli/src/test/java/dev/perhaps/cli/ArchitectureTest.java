package dev.perhaps.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
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

/** The arrows between the packages of the command line, and what it sees of the other modules. */
class ArchitectureTest {
    private static final String FRONT = "dev.perhaps.cli";
    private static final JavaClasses COMMANDS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(FRONT);

    /** Rooms from left to right; those of one line do not see each other. Commands are in the room of their question. */
    private static final List<List<String>> ROOMS = List.of(
            List.of("input.compressed"),
            List.of("input"),
            List.of("input.capture", "console", "engine"),
            List.of("launch", "options"),
            List.of("engine.process"),
            List.of("membership", "frequency", "similarity", "placement", "proxy", "server", "lab"));

    /** A hidden package of another module, who may see it in this one, and why. */
    private record Guest(String hidden, List<String> rooms, String reason) {
        Stream<String> lines() {
            return rooms.stream().map(room -> room(room) + " sees " + hidden);
        }
    }

    private static final List<Guest> GUESTS = List.of(
            new Guest(
                    "dev.perhaps.io",
                    List.of(
                            "",
                            "console",
                            "frequency",
                            "input.capture",
                            "input.compressed",
                            "membership",
                            "options",
                            "placement",
                            "similarity"),
                    "numbers for people and files that appear whole are the same in the library and in the program"),
            new Guest(
                    "dev.perhaps.frame",
                    List.of("options"),
                    "a file is replaced only by a sketch of the same kind, which is in its frame"),
            new Guest(
                    "dev.perhaps.chord.wire",
                    List.of("placement"),
                    "the log of commands is handed from the peer to the dispatcher that logs, both of chord"));

    private static String room(String name) {
        return name.isEmpty() ? FRONT : FRONT + "." + name;
    }

    @Test
    void everyPackageHasItsPlace() {
        classes()
                .should()
                .resideInAnyPackage(Stream.concat(Stream.of(""), ROOMS.stream().flatMap(List::stream))
                        .map(ArchitectureTest::room)
                        .toArray(String[]::new))
                .check(COMMANDS);
    }

    @Test
    void everyRoomSeesOnlyWhatStandsToItsLeft() {
        for (int i = 0; i < ROOMS.size(); i++) {
            for (String name : ROOMS.get(i)) {
                noClasses()
                        .that()
                        .resideInAPackage(room(name))
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(Stream.concat(
                                        Stream.of(""),
                                        ROOMS.subList(i, ROOMS.size()).stream().flatMap(List::stream))
                                .filter(other -> !other.equals(name))
                                .map(ArchitectureTest::room)
                                .toArray(String[]::new))
                        .check(COMMANDS);
            }
        }
    }

    @Test
    void roomsHaveNoCycles() {
        slices().matching("dev.perhaps.(**)").should().beFreeOfCycles().check(COMMANDS);
    }

    /** Both ways: a guest that is not listed fails, and so does one that no longer comes. */
    @Test
    void hiddenPackagesOfOtherModulesAreSeenByTheirGuestsOnly() throws IOException {
        Set<String> exported = exported();
        Set<String> seen = new TreeSet<>();
        for (JavaClass type : COMMANDS) {
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

    /** What modules on the class path export to all, and the front of the lab, which has no descriptor. */
    private static Set<String> exported() throws IOException {
        Set<String> exported = new HashSet<>(Set.of("dev.perhaps.lab"));
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
