package dev.perhaps.spark;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The module sees what the library exports, and Spark; its expressions do not see its face. */
class ArchitectureTest {
    private static final String FRONT = "dev.perhaps.spark";
    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(FRONT);

    /** Rooms from left to right; those of one line do not see each other. */
    private static final List<List<String>> ROOMS = List.of(
            List.of(FRONT + ".catalyst", FRONT + ".duplicates"),
            List.of(FRONT + ".baskets"), // it groups rows with what near duplicates group them with
            List.of(FRONT));

    @Test
    void everyPackageHasItsPlace() {
        classes()
                .should()
                .resideInAnyPackage(ROOMS.stream().flatMap(List::stream).toArray(String[]::new))
                .check(MODULE);
    }

    @Test
    void everyRoomSeesOnlyWhatStandsToItsLeft() {
        for (int i = 0; i < ROOMS.size(); i++) {
            for (String room : ROOMS.get(i)) {
                noClasses()
                        .that()
                        .resideInAPackage(room)
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(ROOMS.subList(i, ROOMS.size()).stream()
                                .flatMap(List::stream)
                                .filter(other -> !other.equals(room))
                                .toArray(String[]::new))
                        .check(MODULE);
            }
        }
    }

    @Test
    void roomsHaveNoCycles() {
        slices().matching("dev.perhaps.(**)").should().beFreeOfCycles().check(MODULE);
    }

    @Test
    void needsNothingButWhatTheLibraryExportsAndSpark() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "com.google.errorprone.annotations",
                        "dev.perhaps",
                        "dev.perhaps.frequency",
                        "dev.perhaps.key",
                        "dev.perhaps.membership",
                        "dev.perhaps.similarity",
                        "dev.perhaps.similarity.baskets",
                        "dev.perhaps.similarity.duplicates",
                        "dev.perhaps.sketch",
                        "dev.perhaps.spark..",
                        "java..",
                        "org.apache.spark..",
                        "org.jspecify..",
                        "org.slf4j",
                        "scala..")
                .check(MODULE);
    }

    @Test
    void theFaceShowsNoTypeOfCatalyst() {
        noClasses()
                .that()
                .haveSimpleName("PerhapsFunctions")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("..catalyst..")
                .check(MODULE);
    }
}
