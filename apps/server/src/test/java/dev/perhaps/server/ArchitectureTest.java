package dev.perhaps.server;

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

/** The protocol sees no socket, the keys see no protocol, commands see no socket; users see one package. */
class ArchitectureTest {
    private static final String FRONT = "dev.perhaps.server";
    private static final JavaClasses SERVER = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(FRONT);

    /** Rooms from left to right; those of one line do not see each other. */
    private static final List<List<String>> ROOMS = List.of(
            List.of(FRONT + ".wire", FRONT + ".keyspace"),
            List.of(FRONT + ".operation"),
            List.of(FRONT + ".command"),
            List.of(FRONT + ".durable", FRONT + ".net"),
            List.of(FRONT));

    @Test
    void everyPackageHasItsPlace() {
        classes()
                .should()
                .resideInAnyPackage(ROOMS.stream().flatMap(List::stream).toArray(String[]::new))
                .check(SERVER);
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
                        .check(SERVER);
            }
        }
    }

    @Test
    void roomsHaveNoCycles() {
        slices().matching("dev.perhaps.(**)").should().beFreeOfCycles().check(SERVER);
    }

    @Test
    void onlyTheNetworkKnowsChannels() {
        noClasses()
                .that()
                .resideOutsideOfPackage(FRONT + ".net")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty.channel..", "io.netty.bootstrap..", "io.netty.handler..")
                .check(SERVER);
    }

    @Test
    void theModuleExportsItsFrontOnly() throws IOException {
        try (InputStream bytes = Files.newInputStream(Path.of("target/classes/module-info.class"))) {
            assertThat(ModuleDescriptor.read(bytes).exports())
                    .extracting(ModuleDescriptor.Exports::source)
                    .containsExactly(FRONT);
        }
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
