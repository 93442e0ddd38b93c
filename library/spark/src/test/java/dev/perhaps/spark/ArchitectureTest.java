package dev.perhaps.spark;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The module sees what the library exports, and Spark; its expressions do not see its face. */
class ArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.perhaps.spark");

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
        noClasses()
                .that()
                .resideInAPackage("dev.perhaps.spark.catalyst")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.perhaps.spark")
                .check(MODULE);
    }
}
