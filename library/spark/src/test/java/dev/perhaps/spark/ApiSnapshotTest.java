package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * What users may call is written down in {@code api.txt}, as for the other modules: who changes it sees it in the change.
 * It stands here and not in the command line, which does not have Spark. {@code -Dapi.write} writes the file anew.
 */
class ApiSnapshotTest {
    private static final Path SNAPSHOT = Path.of("api.txt");

    @Test
    void isWhatTheSnapshotSays() throws IOException {
        Set<String> api = new TreeSet<>();
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.perhaps.spark")) {
            if (type.getPackageName().equals("dev.perhaps.spark")
                    && type.getModifiers().contains(JavaModifier.PUBLIC)) {
                api.add(type.getName());
                for (JavaCodeUnit unit : type.getCodeUnits()) {
                    if (unit.getModifiers().contains(JavaModifier.PUBLIC)
                            && !unit.getModifiers().contains(JavaModifier.SYNTHETIC)) {
                        api.add(line(type, unit));
                    }
                }
            }
        }
        String text = String.join("\n", api) + "\n";
        if (System.getProperty("api.write") != null) {
            Files.writeString(SNAPSHOT, text);
        }
        assertThat(text)
                .as("the exported API; if the change is meant, write api.txt anew with -Dapi.write")
                .isEqualTo(Files.readString(SNAPSHOT));
    }

    private static String line(JavaClass type, JavaCodeUnit unit) {
        String parameters = unit.getRawParameterTypes().stream()
                .map(JavaClass::getSimpleName)
                .collect(Collectors.joining(", "));
        return type.getName() + "#" + unit.getName() + "(" + parameters + "): "
                + unit.getRawReturnType().getSimpleName();
    }
}
