package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Everything that a module exports, one line per type and member, is written down in its {@code api.txt}: who changes what users
 * may call sees it in the change. It stands here because the command line has all modules on its class path. A further module
 * is one more value below; {@code -Dapi.write} writes the files again (CONTRIBUTING.md).
 */
class ApiTest {
    private static final Path HOME = Path.of("..", "..");

    @ParameterizedTest
    @ValueSource(strings = {"library/core", "library/jdbc", "apps/web", "apps/chord", "apps/proxy", "apps/server"})
    void isWhatTheSnapshotSays(String module) throws IOException, ClassNotFoundException {
        Path snapshot = HOME.resolve(module).resolve("api.txt");
        String text = String.join("\n", api(HOME.resolve(module).resolve("target/classes"))) + "\n";
        if (System.getProperty("api.write") != null) {
            Files.writeString(snapshot, text);
        }
        assertThat(text)
                .as("the exported API of %s; if the change is meant, write api.txt again with -Dapi.write", module)
                .isEqualTo(Files.readString(snapshot));
    }

    private static Set<String> api(Path classes) throws IOException, ClassNotFoundException {
        Set<String> api = new TreeSet<>();
        for (String exported : exported(classes)) {
            try (Stream<Path> files = Files.list(classes.resolve(exported.replace('.', '/')))) {
                List<String> names = files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(".class") && !name.equals("package-info.class"))
                        .map(name -> exported + "." + name.substring(0, name.length() - ".class".length()))
                        .toList();
                for (String name : names) {
                    Class<?> type = Class.forName(name, false, ApiTest.class.getClassLoader());
                    if (isVisible(type)) {
                        describe(type, api);
                    }
                }
            }
        }
        assertThat(api).isNotEmpty();
        return api;
    }

    private static Set<String> exported(Path classes) throws IOException {
        try (InputStream in = Files.newInputStream(classes.resolve("module-info.class"))) {
            return ModuleDescriptor.read(in).exports().stream()
                    .filter(export -> !export.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .collect(Collectors.toSet());
        }
    }

    private static boolean isVisible(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return isOpen(type.getModifiers())
                && !type.isAnonymousClass()
                && !type.isLocalClass()
                && (outer == null || isVisible(outer));
    }

    private static boolean isOpen(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static void describe(Class<?> type, Set<String> api) {
        api.add(type.getName());
        for (Field field : type.getDeclaredFields()) {
            if (isOpen(field.getModifiers()) && !field.isSynthetic()) {
                api.add(type.getName() + "#" + field.getName() + ": "
                        + field.getType().getSimpleName());
            }
        }
        for (Constructor<?> made : type.getDeclaredConstructors()) {
            add(type, made, "<init>", void.class, api);
        }
        for (Method method : type.getDeclaredMethods()) {
            add(type, method, method.getName(), method.getReturnType(), api);
        }
    }

    private static void add(Class<?> type, Executable called, String name, Class<?> result, Set<String> api) {
        if (isOpen(called.getModifiers()) && !called.isSynthetic()) {
            String parameters = Arrays.stream(called.getParameterTypes())
                    .map(Class::getSimpleName)
                    .collect(Collectors.joining(", "));
            api.add(type.getName() + "#" + name + "(" + parameters + "): " + result.getSimpleName());
        }
    }
}
