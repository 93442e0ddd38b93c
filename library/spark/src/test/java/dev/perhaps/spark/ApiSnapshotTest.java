package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What users may call is written down in {@code api.txt}, as for the other modules: who changes it sees it in the change.
 * It stands here and not in the command line, which does not have Spark. {@code -Dapi.write} writes the file anew.
 */
class ApiSnapshotTest {
    private static final Path SNAPSHOT = Path.of("api.txt");
    private static final String FRONT = "dev.perhaps.spark";
    private static final Pattern PACKAGE = Pattern.compile("\\b(?:[a-z][a-z0-9_]*\\.)+(?=[A-Z])");

    /** Every class, record and enum has one of these, which says nothing. */
    private static final Set<String> PLAIN_BASES = Set.of("java.lang.Object", "java.lang.Record", "java.lang.Enum");

    @Test
    void isWhatTheSnapshotSays() throws IOException {
        Set<String> api = new TreeSet<>();
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(FRONT)) {
            if (isVisible(type)) {
                describe(type, api);
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

    /** A base that users of {@link Front} do not see. */
    abstract static class HiddenBase {
        public static final int LIMIT = 1;

        public Set<String> inherited() throws IOException {
            throw new IOException("never called");
        }
    }

    /** What stands for a class for users. */
    public abstract static class Front extends HiddenBase implements Runnable {
        protected Front(int number) {
            assert number > 0;
        }

        protected void reachable() {}

        void hidden() {}
    }

    @Test
    void fieldsAndProtectedAndInheritedMembersAreListed() {
        Set<String> api = new TreeSet<>();
        describe(
                new ClassFileImporter()
                        .importClasses(Front.class, HiddenBase.class)
                        .get(Front.class),
                api);
        String name = Front.class.getName();
        assertThat(api)
                .containsExactly(
                        name + " implements Runnable",
                        name + "#<init>(int): void",
                        name + "#LIMIT: int",
                        name + "#inherited(): Set<String> throws IOException",
                        name + "#reachable(): void");
    }

    private static void describe(JavaClass type, Set<String> api) {
        Class<?> reflected = type.reflect();
        boolean extendsAny = type.getRawSuperclass()
                .map(base -> !isHidden(base) && !PLAIN_BASES.contains(base.getName()))
                .orElse(false);
        api.add(type.getName()
                + (extendsAny ? " extends " + plain(reflected.getGenericSuperclass()) : "")
                + (reflected.getGenericInterfaces().length == 0
                        ? ""
                        : " implements " + plain(reflected.getGenericInterfaces())));
        for (JavaMember member : type.getAllMembers()) {
            boolean inherited = !member.getOwner().equals(type);
            boolean fromHidden = isHidden(member.getOwner()) && !(member instanceof JavaConstructor);
            if (isOpen(member.getModifiers()) && (!inherited || fromHidden)) {
                api.add(type.getName() + "#" + member.getName() + signature(member));
            }
        }
    }

    private static boolean isVisible(JavaClass type) {
        return type.getPackageName().equals(FRONT)
                && type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(ApiSnapshotTest::isVisible).orElse(true);
    }

    private static boolean isHidden(JavaClass type) {
        return type.getPackageName().startsWith(FRONT) && !isVisible(type);
    }

    private static boolean isOpen(Set<JavaModifier> modifiers) {
        return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC);
    }

    private static String signature(JavaMember member) {
        if (member instanceof JavaField field) {
            return ": " + plain(field.reflect().getGenericType());
        }
        Executable called = (Executable) ((JavaCodeUnit) member).reflect();
        Type result = called instanceof Method method ? method.getGenericReturnType() : void.class;
        Type[] thrown = called.getGenericExceptionTypes();
        return "(" + plain(called.getGenericParameterTypes()) + "): " + plain(result)
                + (thrown.length == 0 ? "" : " throws " + plain(thrown));
    }

    /** The types as they are written in a source, without their packages. */
    private static String plain(Type... types) {
        return Stream.of(types)
                .map(type -> PACKAGE.matcher(type.getTypeName()).replaceAll(""))
                .collect(Collectors.joining(", "));
    }
}
