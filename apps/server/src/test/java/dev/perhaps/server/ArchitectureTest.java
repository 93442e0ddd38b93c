package dev.perhaps.server;

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
import java.util.List;
import org.junit.jupiter.api.Test;

/** The protocol sees no socket, the keys see no protocol, commands see no socket; users see one package. */
class ArchitectureTest {
    private static final String FRONT = "dev.perhaps.server";
    private static final JavaClasses SERVER = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(FRONT);

    /** Each sees only what stands to its left, and the protocol and the keys do not see each other. */
    @Test
    void everyRoomSeesOnlyWhatStandsToItsLeft() {
        refuse("wire", "keyspace", "command", "net");
        refuse("keyspace", "wire", "command", "net");
        refuse("command", "net");
        for (String room : List.of("wire", "keyspace", "command", "net")) {
            noClasses()
                    .that()
                    .resideInAPackage(FRONT + "." + room)
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage(FRONT)
                    .check(SERVER);
        }
    }

    private static void refuse(String room, String... others) {
        for (String other : others) {
            noClasses()
                    .that()
                    .resideInAPackage(FRONT + "." + room)
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage(FRONT + "." + other)
                    .check(SERVER);
        }
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
}
