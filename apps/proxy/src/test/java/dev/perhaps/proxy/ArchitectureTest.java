package dev.perhaps.proxy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CheckReturnValue;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of HTTP see neither socket, clock nor cache; only the network knows Netty; users see three packages. */
class ArchitectureTest {
    private static final String RULES = "dev.perhaps.proxy.http";
    private static final String FRONT = "dev.perhaps.proxy";
    private static final String CACHE = "dev.perhaps.proxy.cache";
    private static final String NETWORK = "dev.perhaps.proxy.net";
    private static final String SHARING = "dev.perhaps.proxy.sharing";
    private static final String SIBLINGS = "dev.perhaps.proxy.siblings";
    private static final JavaClasses PROXY = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(FRONT);

    /** Rooms from left to right; those of one line do not see each other. */
    private static final List<List<String>> ROOMS =
            List.of(List.of(RULES), List.of(FRONT), List.of(CACHE, SHARING), List.of(NETWORK, SIBLINGS));

    @Test
    void everyPackageHasItsPlace() {
        classes()
                .should()
                .resideInAnyPackage(ROOMS.stream().flatMap(List::stream).toArray(String[]::new))
                .check(PROXY);
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
                        .check(PROXY);
            }
        }
    }

    @Test
    void roomsHaveNoCycles() {
        slices().matching("dev.perhaps.(**)").should().beFreeOfCycles().check(PROXY);
    }

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
                .resideInAnyPackage(
                        "com.google.errorprone.annotations",
                        FRONT,
                        RULES,
                        "dev.perhaps.web.metrics",
                        "java..",
                        "org.jspecify..")
                .check(PROXY);
    }

    @Test
    void theModuleExportsFrontsOnly() throws IOException {
        try (InputStream bytes = Files.newInputStream(Path.of("target/classes/module-info.class"))) {
            assertThat(ModuleDescriptor.read(bytes).exports())
                    .allMatch(exported -> !exported.isQualified())
                    .extracting(ModuleDescriptor.Exports::source)
                    .containsExactlyInAnyOrder(FRONT, NETWORK, SIBLINGS);
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
                        "com.google.errorprone.annotations",
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

    /** What siblings believe of each other is told the time and the bytes, so that the lab can simulate it. */
    @Test
    void sharingSeesTheLibraryAndNoSocket() {
        classes()
                .that()
                .resideInAPackage(SHARING)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        SHARING,
                        FRONT,
                        "dev.perhaps.frame",
                        "dev.perhaps.guard..",
                        "dev.perhaps.hash",
                        "dev.perhaps.io",
                        "dev.perhaps.key",
                        "dev.perhaps.membership",
                        "dev.perhaps.sketch",
                        "java.io",
                        "java.lang..",
                        "java.nio",
                        "java.nio.charset",
                        "java.util..",
                        "org.jspecify..")
                .check(PROXY);
    }

    /** Between siblings it is Java's own HTTP client, and the pages of this proxy: neither its cache nor its network. */
    @Test
    void siblingsSeeSharingAndPagesAndNoNetty() {
        classes()
                .that()
                .resideInAPackage(SIBLINGS)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "com.google.errorprone.annotations",
                        SIBLINGS,
                        FRONT,
                        RULES,
                        SHARING,
                        "dev.perhaps.chord..",
                        "dev.perhaps.guard",
                        "dev.perhaps.io",
                        "dev.perhaps.key",
                        "dev.perhaps.sketch",
                        "dev.perhaps.web..",
                        "java..",
                        "javax.crypto..",
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
