package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Everything that the module exports, one line per type and member, is written down in {@code api.txt}: who changes what users
 * may call sees it in the change. {@code mvn -Dtest=ApiTest -Dapi.write test} writes the file anew.
 */
class ApiTest {
    private static final Path SNAPSHOT = Path.of("api.txt");

    @Test
    void isWhatTheSnapshotSays() throws IOException {
        Set<String> exported = exported();
        Set<String> api = new TreeSet<>();
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.perhaps")) {
            if (exported.contains(type.getPackageName()) && isVisible(type)) {
                describe(type, api);
            }
        }
        String text = String.join("\n", api) + "\n";
        if (System.getProperty("api.write") != null) {
            Files.writeString(SNAPSHOT, text);
        }
        assertThat(text)
                .as("the exported API; if the change is meant, write %s anew with -Dapi.write", SNAPSHOT)
                .isEqualTo(Files.readString(SNAPSHOT));
    }

    private static Set<String> exported() throws IOException {
        try (InputStream in = Files.newInputStream(Path.of("target", "classes", "module-info.class"))) {
            return ModuleDescriptor.read(in).exports().stream()
                    .filter(export -> !export.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .collect(Collectors.toSet());
        }
    }

    private static boolean isVisible(JavaClass type) {
        return isOpen(type.getModifiers())
                && type.getEnclosingClass().map(ApiTest::isVisible).orElse(true)
                && !type.isAnonymousClass();
    }

    private static boolean isOpen(Set<JavaModifier> modifiers) {
        return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC)
                && !modifiers.contains(JavaModifier.BRIDGE);
    }

    private static void describe(JavaClass type, Set<String> api) {
        api.add(type.getName());
        for (JavaField field : type.getFields()) {
            if (isOpen(field.getModifiers())) {
                api.add(type.getName() + "#" + field.getName() + ": "
                        + field.getRawType().getSimpleName());
            }
        }
        for (JavaCodeUnit unit : type.getCodeUnits()) {
            if (isOpen(unit.getModifiers())) {
                String parameters = unit.getRawParameterTypes().stream()
                        .map(JavaClass::getSimpleName)
                        .collect(Collectors.joining(", "));
                api.add(type.getName() + "#" + unit.getName() + "(" + parameters + "): "
                        + unit.getRawReturnType().getSimpleName());
            }
        }
    }
}
