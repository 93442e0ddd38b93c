package dev.perhaps;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CheckReturnValue;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The arrows between the rooms of the library: each sees only what stands to its left. */
class ArchitectureTest {
    private static final JavaClasses LIBRARY = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.perhaps");

    /** Rooms from left to right; those of one line do not see each other. */
    private static final List<List<String>> ROOMS = List.of(
            List.of("hash"),
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
            "guard.cost", List.of(),
            "similarity.text", List.of(),
            "similarity.search", List.of(),
            "similarity.segments", List.of());

    private static final double MAX_OPEN_SHARE = 0.35;

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
                .resideOutsideOfPackages(
                        "dev.perhaps.hash", "dev.perhaps.key", "dev.perhaps.frequency", "dev.perhaps.placement")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.dynatrace..")
                .check(LIBRARY);
    }

    /** Of what users may call, the types of all parameters, results and fields, and what these are made of. */
    @Test
    void noExportedSignatureShowsAHiddenType() throws IOException {
        Set<String> exported = exported();
        List<String> shown = new ArrayList<>();
        for (JavaClass type : LIBRARY) {
            if (exported.contains(type.getPackageName()) && isVisible(type)) {
                for (JavaMember member : type.getMembers()) {
                    if (isOpen(member.getModifiers())) {
                        involved(member).stream()
                                .filter(other -> !isForUsers(other, exported))
                                .forEach(other -> shown.add(member.getFullName() + " shows " + other.getName()));
                    }
                }
            }
        }
        assertThat(shown).isEmpty();
    }

    /** So that error-prone refuses a plan whose result is dropped (docs/decisions/builders.md). */
    @Test
    void everyExportedPackageDemandsThatResultsAreUsed() throws Exception {
        for (String exported : exported()) {
            assertThat(Class.forName(exported + ".package-info")).hasAnnotation(CheckReturnValue.class);
        }
    }

    @Test
    void aboutAThirdOfTheTypesIsForUsers() throws IOException {
        Set<String> exported = exported();
        List<JavaClass> topLevel = LIBRARY.stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .toList();
        long open = topLevel.stream()
                .filter(type -> exported.contains(type.getPackageName()) && isOpen(type.getModifiers()))
                .count();
        assertThat(topLevel).hasSizeGreaterThan(150);
        assertThat((double) open / topLevel.size())
                .as("share of public types, %d of %d", open, topLevel.size())
                .isLessThanOrEqualTo(MAX_OPEN_SHARE);
    }

    private static Set<JavaClass> involved(JavaMember member) {
        if (member instanceof JavaField field) {
            return field.getType().getAllInvolvedRawTypes();
        }
        Set<JavaClass> types = new HashSet<>();
        JavaCodeUnit unit = (JavaCodeUnit) member;
        types.addAll(unit.getReturnType().getAllInvolvedRawTypes());
        unit.getParameterTypes().forEach(type -> types.addAll(type.getAllInvolvedRawTypes()));
        return types;
    }

    /** Of the library only what is exported and public; of others the JDK. */
    private static boolean isForUsers(JavaClass type, Set<String> exported) {
        JavaClass element = type.getBaseComponentType();
        return element.isPrimitive()
                || element.getPackageName().startsWith("java.")
                || exported.contains(element.getPackageName()) && isVisible(element);
    }

    private static boolean isVisible(JavaClass type) {
        return isOpen(type.getModifiers())
                && type.getEnclosingClass().map(ArchitectureTest::isVisible).orElse(true);
    }

    private static boolean isOpen(Set<JavaModifier> modifiers) {
        return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC)
                && !modifiers.contains(JavaModifier.BRIDGE);
    }

    private static Set<String> exported() throws IOException {
        try (InputStream in = Files.newInputStream(Path.of("target", "classes", "module-info.class"))) {
            return ModuleDescriptor.read(in).exports().stream()
                    .filter(export -> !export.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .collect(Collectors.toSet());
        }
    }
}
