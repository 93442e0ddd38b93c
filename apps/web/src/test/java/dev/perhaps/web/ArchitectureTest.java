package dev.perhaps.web;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CheckReturnValue;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the programs share sees Netty and Java, and none of the programs; metrics see no socket. */
class ArchitectureTest {
    private static final String FRONT = "dev.perhaps.web";
    private static final String ADMIN = "dev.perhaps.web.admin";
    private static final String METRICS = "dev.perhaps.web.metrics";
    private static final JavaClasses WEB = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(FRONT);

    @Test
    void everyPackageHasItsPlace() {
        classes().should().resideInAnyPackage(FRONT, ADMIN, METRICS).check(WEB);
    }

    @Test
    void roomsHaveNoCycles() {
        slices().matching("dev.perhaps.(**)").should().beFreeOfCycles().check(WEB);
    }

    @Test
    void seesNettyAndJavaOnly() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "com.google.errorprone.annotations",
                        FRONT,
                        ADMIN,
                        METRICS,
                        "io.netty..",
                        "java..",
                        "javax.net.ssl..",
                        "javax.security.auth.x500",
                        "org.jspecify..")
                .check(WEB);
    }

    @Test
    void metricsSeeNeitherSocketNorServer() {
        classes()
                .that()
                .resideInAPackage(METRICS)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "com.google.errorprone.annotations",
                        METRICS,
                        "java.io",
                        "java.lang..",
                        "java.util",
                        "java.util..",
                        "org.jspecify..")
                .check(WEB);
    }

    @Test
    void onlyAdminPagesKnowHttp() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ADMIN)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty.handler.codec.http..", ADMIN)
                .check(WEB);
    }

    /** A program that shows a page does not have to know what serves it. */
    @Test
    void noTypeOfNettyIsInThePublicPartOfAdminPages() {
        List<String> found = new ArrayList<>();
        for (JavaClass each : WEB) {
            if (each.getPackageName().equals(ADMIN) && each.getModifiers().contains(JavaModifier.PUBLIC)) {
                each.getCodeUnits().stream()
                        .filter(unit -> unit.getModifiers().contains(JavaModifier.PUBLIC))
                        .filter(unit -> unit.getRawReturnType().getName().startsWith("io.netty.")
                                || unit.getRawParameterTypes().stream()
                                        .anyMatch(type -> type.getName().startsWith("io.netty.")))
                        .forEach(unit -> found.add(unit.getFullName()));
            }
        }
        assertThat(found).isEmpty();
    }

    /** So that error-prone refuses a plan whose result is dropped (docs/decisions/builders.md). */
    @Test
    void everyExportedPackageDemandsThatResultsAreUsed() throws Exception {
        try (InputStream bytes = Files.newInputStream(Path.of("target/classes/module-info.class"))) {
            for (ModuleDescriptor.Exports exported :
                    ModuleDescriptor.read(bytes).exports()) {
                assertThat(Class.forName(exported.source() + ".package-info")).hasAnnotation(CheckReturnValue.class);
            }
        }
    }
}
