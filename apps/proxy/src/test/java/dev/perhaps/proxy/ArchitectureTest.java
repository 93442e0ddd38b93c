package dev.perhaps.proxy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The rules of HTTP see neither socket, clock nor cache; only the network knows Netty; users see three packages. */
class ArchitectureTest {
    private static final String RULES = "dev.perhaps.proxy.http";
    private static final String FRONT = "dev.perhaps.proxy";
    private static final String CACHE = "dev.perhaps.proxy.cache";
    private static final String NETWORK = "dev.perhaps.proxy.net";
    private static final JavaClasses PROXY = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(FRONT);

    @Test
    void theRulesArePure() {
        classes()
                .that()
                .resideInAPackage(RULES)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        RULES,
                        "java.lang..",
                        "java.util",
                        "java.util.function",
                        "java.util.regex",
                        "java.util.stream",
                        "java.nio.charset",
                        "java.time..",
                        "org.jspecify..")
                .check(PROXY);
        noClasses()
                .that()
                .resideInAPackage(RULES)
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(java.time.Instant.class, "now")
                .check(PROXY);
    }

    @Test
    void theCacheSeesTheRulesMetricsAndCaffeine() {
        classes()
                .that()
                .resideInAPackage(CACHE)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        CACHE,
                        FRONT,
                        RULES,
                        "dev.perhaps.web.metrics",
                        "com.github.benmanes.caffeine..",
                        "java..",
                        "org.jspecify..")
                .check(PROXY);
    }

    @Test
    void theFrontSeesNoneOfTheOthersButFieldsOfHttp() {
        classes()
                .that()
                .resideInAPackage(FRONT)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(FRONT, RULES, "dev.perhaps.web.metrics", "java..", "org.jspecify..")
                .check(PROXY);
    }

    @Test
    void theModuleExportsFrontsOnly() throws IOException {
        try (InputStream bytes = Files.newInputStream(Path.of("target/classes/module-info.class"))) {
            assertThat(ModuleDescriptor.read(bytes).exports())
                    .allMatch(exported -> !exported.isQualified())
                    .extracting(ModuleDescriptor.Exports::source)
                    .containsExactlyInAnyOrder(FRONT, NETWORK, "dev.perhaps.proxy.siblings");
        }
    }

    @Test
    void theNetworkSeesBothAndNetty() {
        classes()
                .that()
                .resideInAPackage(NETWORK)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        NETWORK,
                        FRONT,
                        CACHE,
                        RULES,
                        "dev.perhaps.key",
                        "dev.perhaps.web",
                        "dev.perhaps.web.metrics",
                        "io.netty..",
                        "java..",
                        "javax.net.ssl..",
                        "org.jspecify..")
                .check(PROXY);
    }

    /** Pages for those who run it are the shared server's: no second one is written here. */
    @Test
    void theNetworkKnowsNothingOfAdminPages() {
        noClasses()
                .that()
                .resideInAnyPackage(CACHE, RULES, NETWORK)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.perhaps.web.admin")
                .check(PROXY);
    }

    @Test
    void onlyTheDirectoryOnARingKnowsTheRing() {
        noClasses()
                .that()
                .doNotHaveSimpleName("RingDirectory")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.perhaps.chord..")
                .check(PROXY);
    }
}
