package dev.perhaps.proxy.sharing;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.perhaps.proxy.LookupOutcome;
import org.junit.jupiter.api.Test;

/** What caches tell each other is the same in a simulation and on the network: no socket, no clock, no chance. */
class PurityTest {
    private static final JavaClasses SHARING = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.perhaps.proxy.sharing");

    @Test
    void seesTheLibraryTheOutcomeAndJavaOnly() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "dev.perhaps.proxy.sharing",
                                "dev.perhaps.io",
                                "dev.perhaps.hash",
                                "dev.perhaps.key",
                                "dev.perhaps.membership",
                                "dev.perhaps.guard",
                                "dev.perhaps.guard.cost",
                                "dev.perhaps.frame",
                                "dev.perhaps.sketch",
                                "java.io",
                                "java.lang..",
                                "java.nio",
                                "java.util..",
                                "org.jspecify..")
                        .or(belongToAnyOf(LookupOutcome.class)))
                .check(SHARING);
        noClasses()
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.lang\\.Thread|java\\.util\\..*Random|java\\.util\\.Timer.*")
                .check(SHARING);
    }
}
