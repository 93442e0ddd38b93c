package dev.perhaps;

import static com.tngtech.archunit.base.DescribedPredicate.anyElementThat;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The arrows between the rooms of the library: each sees only what stands to its left. */
class ArchitectureTest {
    private static final JavaClasses LIBRARY = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.perhaps");

    /** Rooms from left to right; those of one line do not see each other. */
    private static final List<List<String>> ROOMS = List.of(
            List.of("key"),
            List.of("io"),
            List.of("sketch"),
            List.of("frame"),
            List.of("membership", "frequency", "similarity", "placement"),
            List.of("foreign"),
            List.of("plan"),
            List.of("guard"));

    /** Back rooms, and who looks into them beside their own question. */
    private static final Map<String, List<String>> BACK_ROOMS = Map.of(
            "membership.request", List.of("guard"),
            "membership.bloom", List.of("guard", "foreign"),
            "membership.counting", List.of("guard", "plan"),
            "membership.cuckoo", List.of(),
            "membership.quotient", List.of(),
            "membership.fuse", List.of(),
            "similarity.text", List.of(),
            "similarity.search", List.of(),
            "similarity.segments", List.of());

    private static String room(String name) {
        return "dev.perhaps." + name;
    }

    @Test
    void everyRoomSeesOnlyWhatStandsToItsLeft() {
        List<String> toTheRight = new ArrayList<>(List.of("dev.perhaps"));
        for (int i = ROOMS.size() - 1; i >= 0; i--) {
            for (String name : ROOMS.get(i)) {
                List<String> hidden = new ArrayList<>(toTheRight);
                ROOMS.get(i).stream()
                        .filter(other -> !other.equals(name))
                        .forEach(other -> hidden.add(room(other) + ".."));
                noClasses()
                        .that()
                        .resideInAPackage(room(name) + "..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(hidden.toArray(String[]::new))
                        .check(LIBRARY);
            }
            ROOMS.get(i).forEach(name -> toTheRight.add(room(name) + ".."));
        }
    }

    @Test
    void everyPackageIsARoomOfThePlan() {
        List<String> planned = new ArrayList<>(List.of("dev.perhaps"));
        ROOMS.forEach(names -> names.forEach(name -> planned.add(room(name))));
        BACK_ROOMS.keySet().forEach(name -> planned.add(room(name)));
        for (String name : List.of("similarity.index", "similarity.duplicates", "similarity.baskets")) {
            planned.add(room(name));
        }
        classes().should().resideInAnyPackage(planned.toArray(String[]::new)).check(LIBRARY);
    }

    @Test
    void aBackRoomIsSeenByItsOwnQuestionAndByThoseItIsOpenTo() {
        BACK_ROOMS.forEach((name, guests) -> {
            List<String> seeing = new ArrayList<>(List.of(room(name.substring(0, name.indexOf('.'))) + ".."));
            guests.forEach(guest -> seeing.add(room(guest)));
            noClasses()
                    .that()
                    .resideOutsideOfPackages(seeing.toArray(String[]::new))
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage(room(name))
                    .check(LIBRARY);
        });
    }

    @Test
    void roomsHaveNoCycles() {
        slices().matching("dev.perhaps.(**)").should().beFreeOfCycles().check(LIBRARY);
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
