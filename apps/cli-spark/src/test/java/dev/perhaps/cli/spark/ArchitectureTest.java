package dev.perhaps.cli.spark;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URL;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What commands on Spark see of the other modules: what these export, and of the command line the packages below. */
class ArchitectureTest {
    private static final String FRONT = "dev.perhaps.cli.spark";
    private static final JavaClasses DRIVER = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(FRONT);

    /** Of the modules without a descriptor, the packages that this one may see; of the others it sees what they export. */
    private static final Set<String> FRONTS = Set.of(
            "dev.perhaps.spark", // the front of the library on Spark
            "dev.perhaps.cli", // the program, which is started again inside the driver
            "dev.perhaps.cli.console", // messages and progress, as on one machine
            "dev.perhaps.cli.engine", // what it implements
            "dev.perhaps.cli.input" // tasks read and hash records as one machine does
            );

    /** One package has no arrows and no cycles; a second one needs rules for them here. */
    @Test
    void everyPackageHasItsPlace() {
        classes().should().resideInAPackage(FRONT).check(DRIVER);
    }

    @Test
    void seesNoHiddenPackageOfAnotherModule() throws IOException {
        Set<String> exported = exported();
        Set<String> seen = new TreeSet<>();
        Set<String> fronts = new HashSet<>();
        for (JavaClass type : DRIVER) {
            for (Dependency each : type.getDirectDependenciesFromSelf()) {
                String other = each.getTargetClass().getBaseComponentType().getPackageName();
                if (FRONTS.contains(other)) {
                    fronts.add(other);
                } else if ((other + ".").startsWith("dev.perhaps.")
                        && !other.equals(FRONT)
                        && !exported.contains(other)) {
                    seen.add(type.getName() + " sees " + other);
                }
            }
        }
        assertThat(seen).isEmpty();
        assertThat(fronts).as("what is no longer seen is not listed").isEqualTo(FRONTS);
    }

    private static Set<String> exported() throws IOException {
        Set<String> exported = new HashSet<>();
        for (URL descriptor :
                Collections.list(ArchitectureTest.class.getClassLoader().getResources("module-info.class"))) {
            try (InputStream in = descriptor.openStream()) {
                ModuleDescriptor.read(in).exports().stream()
                        .filter(export -> !export.isQualified())
                        .forEach(export -> exported.add(export.source()));
            }
        }
        return exported;
    }
}
