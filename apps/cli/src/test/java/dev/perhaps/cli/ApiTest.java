package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Everything that a module exports, one line per type and member, is written down in its {@code api.txt}: who changes what users
 * may call sees it in the change. It stands here because the command line has all modules on its class path. A further module
 * is one more value of {@code modules}; {@code -Dapi.write} writes the files again (CONTRIBUTING.md).
 */
class ApiTest {
    private static final Path HOME = Path.of("..", "..");
    private static final Pattern PACKAGE = Pattern.compile("\\b(?:[a-z][a-z0-9_]*\\.)+(?=[A-Z])");

    /** Every class, record and enum has one of these, which says nothing. */
    private static final Set<Class<?>> PLAIN_BASES = Set.of(Object.class, Record.class, Enum.class);

    @ParameterizedTest
    @MethodSource("modules")
    void isWhatTheSnapshotSays(String module) throws IOException, ClassNotFoundException {
        Path snapshot = HOME.resolve(module).resolve("api.txt");
        String text = String.join("\n", api(classes(module))) + "\n";
        if (System.getProperty("api.write") != null) {
            Files.writeString(snapshot, text);
        }
        assertThat(text)
                .as("the exported API of %s; if the change is meant, write api.txt again with -Dapi.write", module)
                .isEqualTo(Files.readString(snapshot));
    }

    private static List<String> modules() {
        return List.of("library/core", "library/jdbc", "apps/web", "apps/chord", "apps/proxy", "apps/server");
    }

    private static Path classes(String module) {
        return HOME.resolve(module).resolve("target/classes");
    }

    /** A base that users of {@link Front} do not see. */
    abstract static class HiddenBase<T> implements Supplier<T> {
        public List<T> inherited(Map.Entry<String, ? extends T> entry) throws IOException {
            throw new IOException("never called " + entry);
        }

        protected void reachable() {}

        void hidden() {}
    }

    /** What stands for an exported class. */
    public abstract static class Front<E extends Comparable<E>> extends HiddenBase<E> implements Closeable {
        protected Front() {}

        public <R extends E> R[] own(Function<? super E, R> function) throws IllegalStateException {
            throw new IllegalStateException("never called " + function);
        }
    }

    @Test
    void aLineHasEverythingThatABaseHidesAndASignatureSays() {
        Set<String> api = new TreeSet<>();
        describe(Front.class, Set.of(ApiTest.class.getPackageName()), api);
        String name = Front.class.getName();
        assertThat(api)
                .containsExactly(
                        name + "#<init>(): void",
                        name + "#inherited(Map$Entry<String, ? extends T>): List<T> throws IOException",
                        name + "#own<R extends E>(Function<? super E, R>): R[] throws IllegalStateException",
                        name + "#reachable(): void",
                        name + "<E extends Comparable<E>> implements Closeable, Supplier<T>");
    }

    private static Set<String> api(Path classes) throws IOException, ClassNotFoundException {
        Set<String> api = new TreeSet<>();
        Set<String> exported = new HashSet<>();
        for (String module : modules()) {
            exported.addAll(exported(classes(module)));
        }
        for (String room : exported(classes)) {
            try (Stream<Path> files = Files.list(classes.resolve(room.replace('.', '/')))) {
                List<String> names = files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(".class") && !name.equals("package-info.class"))
                        .map(name -> room + "." + name.substring(0, name.length() - ".class".length()))
                        .toList();
                for (String name : names) {
                    Class<?> type = Class.forName(name, false, ApiTest.class.getClassLoader());
                    if (isVisible(type)) {
                        describe(type, exported, api);
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

    private static void describe(Class<?> type, Set<String> exported, Set<String> api) {
        Map<String, String> members = new HashMap<>();
        Set<String> interfaces = new TreeSet<>();
        String base = "";
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            add(constructor, "<init>", void.class, members);
        }
        // What users cannot see is not there for them: its members and supertypes are those of the class that extends
        // it.
        Deque<Class<?>> open = new ArrayDeque<>(List.of(type));
        while (!open.isEmpty()) {
            Class<?> next = open.remove();
            for (Field field : next.getDeclaredFields()) {
                if (isOpen(field.getModifiers()) && !field.isSynthetic()) {
                    members.putIfAbsent(field.getName(), field.getName() + ": " + plain(field.getGenericType()));
                }
            }
            for (Method method : next.getDeclaredMethods()) {
                if (next != type && next.isInterface() && Modifier.isStatic(method.getModifiers())) {
                    continue; // is not inherited
                }
                add(method, method.getName(), method.getGenericReturnType(), members);
            }
            Class<?> superclass = next.getSuperclass();
            if (superclass != null && isHidden(superclass, exported)) {
                open.add(superclass);
            } else if (superclass != null && !PLAIN_BASES.contains(superclass)) {
                base = " extends " + plain(next.getGenericSuperclass());
            }
            for (int i = 0; i < next.getInterfaces().length; i++) {
                if (isHidden(next.getInterfaces()[i], exported)) {
                    open.add(next.getInterfaces()[i]);
                } else {
                    interfaces.add(plain(next.getGenericInterfaces()[i]));
                }
            }
        }
        String word = type.isInterface() ? " extends " : " implements ";
        api.add(type.getName()
                + variables(type)
                + base
                + (interfaces.isEmpty() ? "" : word + String.join(", ", interfaces)));
        members.values().forEach(member -> api.add(type.getName() + "#" + member));
    }

    private static boolean isHidden(Class<?> type, Set<String> exported) {
        return type.getName().startsWith("dev.perhaps.")
                && !(isVisible(type) && exported.contains(type.getPackageName()));
    }

    private static void add(Executable called, String name, Type result, Map<String, String> members) {
        if (isOpen(called.getModifiers()) && !called.isSynthetic()) {
            String parameters = "(" + plain(called.getGenericParameterTypes()) + ")";
            String thrown = called.getGenericExceptionTypes().length == 0
                    ? ""
                    : " throws " + plain(called.getGenericExceptionTypes());
            // Of a method and the one that it overrides, the first that is met is the one that is called.
            members.putIfAbsent(
                    name + Arrays.toString(called.getParameterTypes()),
                    name + variables(called) + parameters + ": " + plain(result) + thrown);
        }
    }

    private static String variables(GenericDeclaration declaration) {
        TypeVariable<?>[] variables = declaration.getTypeParameters();
        return variables.length == 0
                ? ""
                : Arrays.stream(variables)
                        .map(variable -> {
                            String bounds = Arrays.stream(variable.getBounds())
                                    .filter(bound -> bound != Object.class)
                                    .map(ApiTest::plain)
                                    .collect(Collectors.joining(" & "));
                            return variable.getName() + (bounds.isEmpty() ? "" : " extends " + bounds);
                        })
                        .collect(Collectors.joining(", ", "<", ">"));
    }

    /** The types as they are written in a source, without their packages. */
    private static String plain(Type... types) {
        return Arrays.stream(types)
                .map(type -> PACKAGE.matcher(type.getTypeName()).replaceAll(""))
                .collect(Collectors.joining(", "));
    }
}
