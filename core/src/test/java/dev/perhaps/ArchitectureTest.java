package dev.perhaps;

import static com.tngtech.archunit.base.DescribedPredicate.anyElementThat;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows between the rooms of the library: each sees only what stands to its left. */
class ArchitectureTest {
    private static final JavaClasses LIBRARY = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.perhaps");

    @Test
    void everyRoomSeesOnlyWhatStandsToItsLeft() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .withOptionalLayers(true)
                .layer("key")
                .definedBy("dev.perhaps.key")
                .layer("io")
                .definedBy("dev.perhaps.io")
                .layer("membership")
                .definedBy("dev.perhaps.membership")
                .layer("frequency")
                .definedBy("dev.perhaps.frequency")
                .layer("similarity")
                .definedBy("dev.perhaps.similarity")
                .layer("placement")
                .definedBy("dev.perhaps.placement")
                .layer("foreign")
                .definedBy("dev.perhaps.foreign")
                .layer("plan")
                .definedBy("dev.perhaps.plan")
                .layer("root")
                .definedBy("dev.perhaps")
                .whereLayer("root")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("plan")
                .mayOnlyBeAccessedByLayers("root")
                .whereLayer("foreign")
                .mayOnlyBeAccessedByLayers("plan", "root")
                .whereLayer("membership")
                .mayOnlyBeAccessedByLayers("foreign", "plan", "root")
                .whereLayer("frequency")
                .mayOnlyBeAccessedByLayers("plan", "root")
                .whereLayer("similarity")
                .mayOnlyBeAccessedByLayers("plan", "root")
                .whereLayer("placement")
                .mayOnlyBeAccessedByLayers("plan", "root")
                .whereLayer("io")
                .mayOnlyBeAccessedByLayers(
                        "membership", "frequency", "similarity", "placement", "foreign", "plan", "root")
                .check(LIBRARY);
    }

    @Test
    void theHashingLibraryIsKnownWhereItIsUsedOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.perhaps.key", "dev.perhaps.frequency", "dev.perhaps.placement")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.dynatrace..")
                .check(LIBRARY);
    }

    @Test
    void noPublicSignatureShowsTheHashingLibrary() {
        methods()
                .that()
                .arePublic()
                .and()
                .areDeclaredInClassesThat()
                .arePublic()
                .should()
                .notHaveRawReturnType(resideInAPackage("com.dynatrace.."))
                .andShould()
                .notHaveRawParameterTypes(anyElementThat(resideInAPackage("com.dynatrace..")))
                .check(LIBRARY);
    }
}
