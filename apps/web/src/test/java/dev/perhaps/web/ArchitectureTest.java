package dev.perhaps.web;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** What the programs share sees Netty and Java, and none of the programs. */
class ArchitectureTest {
    private static final JavaClasses WEB = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.perhaps.web");

    @Test
    void seesNettyAndJavaOnly() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.perhaps.web",
                        "io.netty..",
                        "java..",
                        "javax.net.ssl..",
                        "javax.security.auth.x500",
                        "org.jspecify..")
                .check(WEB);
    }
}
