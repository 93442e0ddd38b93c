package dev.perhaps.jdbc;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The adapters see the library and java.sql, and no driver. */
class ArchitectureTest {
    private static final JavaClasses ADAPTERS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.perhaps.jdbc");

    /** One package has no arrows and no cycles; a second one needs rules for them here. */
    @Test
    void everyPackageHasItsPlace() {
        classes().should().resideInAPackage("dev.perhaps.jdbc").check(ADAPTERS);
    }

    @Test
    void needsNothingButTheLibraryAndJavaItself() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "com.google.errorprone.annotations",
                        "dev.perhaps.jdbc",
                        "dev.perhaps.key",
                        "dev.perhaps.membership",
                        "dev.perhaps.guard",
                        "java..",
                        "javax.sql",
                        "org.jspecify..")
                .check(ADAPTERS);
    }
}
