package dev.perhaps.chord;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CheckReturnValue;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The ring sees the library and Java; the protocol sees neither clock, thread, socket nor chance. */
class ArchitectureTest {
    private static final String PROTOCOL = "dev.perhaps.chord";
    private static final String SIMULATION = "dev.perhaps.chord.simulation";
    private static final String MODEL = "dev.perhaps.chord.model";
    private static final String CLUSTER = "dev.perhaps.chord.cluster";
    private static final String WIRE = "dev.perhaps.chord.wire";
    private static final String HOST = "dev.perhaps.chord.host";
    private static final String STORE = "dev.perhaps.chord.store";
    private static final String WEB = "dev.perhaps.chord.web";
    private static final JavaClasses RING = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(PROTOCOL);

    @Test
    void everyPackageHasItsPlace() {
        classes()
                .should()
                .resideInAnyPackage(PROTOCOL, SIMULATION, MODEL, CLUSTER, WIRE, HOST, STORE, WEB)
                .check(RING);
    }

    @Test
    void needsNothingButTheLibraryAndJavaItself() {
        classes()
                .that()
                .resideOutsideOfPackages(CLUSTER, WIRE, HOST, STORE, WEB)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "com.google.errorprone.annotations",
                        "dev.perhaps.chord..",
                        "dev.perhaps.hash",
                        "dev.perhaps.key",
                        "java..",
                        "org.jspecify..")
                .check(RING);
    }

    @Test
    void everyRoomSeesOnlyWhatStandsToItsLeft() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("protocol")
                .definedBy(PROTOCOL)
                .layer("simulation")
                .definedBy(SIMULATION)
                .layer("model")
                .definedBy(MODEL)
                .layer("network")
                .definedBy(CLUSTER, WIRE)
                .layer("host")
                .definedBy(HOST)
                .layer("store")
                .definedBy(STORE)
                .layer("web")
                .definedBy(WEB)
                .whereLayer("simulation")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("simulation")
                .mayOnlyAccessLayers("protocol")
                .whereLayer("model")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("model")
                .mayNotAccessAnyLayer()
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

    /** Except that cluster and wire use each other (docs/decisions/rooms.md): here the two are one. */
    @Test
    void roomsHaveNoCycles() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        String room = type.getPackageName();
                        return SliceIdentifier.of(room.equals(WIRE) ? CLUSTER : room);
                    }

                    @Override
                    public String getDescription() {
                        return "packages, of which cluster and wire are one";
                    }
                })
                .should()
                .beFreeOfCycles()
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
                .resideInAPackage(PROTOCOL)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.net..", "java.io..", "java.time..", "java.util.concurrent..", MODEL, SIMULATION)
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
