package dev.perhaps.chord;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The ring sees the library and Java; the protocol sees neither clock, thread, socket nor chance. */
class ArchitectureTest {
    private static final String CLUSTER = "dev.perhaps.chord.cluster";
    private static final String WIRE = "dev.perhaps.chord.wire";
    private static final String HOST = "dev.perhaps.chord.host";
    private static final String STORE = "dev.perhaps.chord.store";
    private static final String WEB = "dev.perhaps.chord.web";
    private static final JavaClasses RING = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.perhaps.chord");

    @Test
    void needsNothingButTheLibraryAndJavaItself() {
        classes()
                .that()
                .resideOutsideOfPackages(CLUSTER, WIRE, HOST, STORE, WEB)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.perhaps.chord..", "dev.perhaps.hash", "dev.perhaps.key", "java..", "org.jspecify..")
                .check(RING);
    }

    @Test
    void everyRoomSeesOnlyWhatStandsToItsLeft() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("protocol")
                .definedBy("dev.perhaps.chord")
                .layer("network")
                .definedBy(CLUSTER, WIRE)
                .layer("host")
                .definedBy(HOST)
                .layer("store")
                .definedBy(STORE)
                .layer("web")
                .definedBy(WEB)
                .whereLayer("web")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("store")
                .mayOnlyBeAccessedByLayers("web")
                .whereLayer("host")
                .mayOnlyBeAccessedByLayers("store", "web")
                .whereLayer("network")
                .mayOnlyBeAccessedByLayers("host", "store", "web")
                .check(RING);
    }

    @Test
    void onlyTheNetworkKnowsNetty() {
        noClasses()
                .that()
                .resideOutsideOfPackages(WIRE, HOST)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty..")
                .check(RING);
    }

    @Test
    void theProtocolIsAPureStateMachine() {
        noClasses()
                .that()
                .resideInAPackage("dev.perhaps.chord")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.net..",
                        "java.io..",
                        "java.time..",
                        "java.util.concurrent..",
                        "dev.perhaps.chord.model",
                        "dev.perhaps.chord.simulation")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.lang\\.Thread|java\\.util\\..*Random|java\\.util\\.Timer.*")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(Math.class, "random")
                .check(RING);
    }

    /** A clock that is set, forward or back, or that was wrong at the last start, changes nothing. */
    @Test
    void nothingAsksWhatTimeItIs() {
        noClasses()
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .dependOnClassesThat()
                .resideInAPackage("java.time..")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.util.Date")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.nio.file.attribute.FileTime")
                .check(RING);
    }
}
