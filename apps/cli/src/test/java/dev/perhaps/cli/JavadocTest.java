package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExportsTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * Every public element that a user can reach has a doc comment: types, methods, constructors and fields of the packages
 * that a {@code module-info} exports to all, and what these inherit from a base that is hidden beside them. What
 * overrides inherits its comment; components of a record are described by the comment of the record. Sources are parsed
 * and not compiled, which takes about a second.
 */
class JavadocTest {
    private static final Path HOME = Path.of("..", "..");
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    @Test
    void everythingThatUsersSeeIsDocumented() throws IOException {
        List<String> missing = new ArrayList<>();
        int checked = 0;
        for (String folder : modules()) {
            List<Path> exported = exportedSources(HOME.resolve(folder).resolve("src/main/java"));
            assertThat(exported).as(folder).isNotEmpty();
            checked += exported.size();
            try (StandardJavaFileManager files = COMPILER.getStandardFileManager(null, null, null)) {
                missing.addAll(missing(files.getJavaFileObjectsFromPaths(exported)));
            }
        }
        // Spark is not a Java module, and so this has no module-info that says what is exported.
        try (StandardJavaFileManager files = COMPILER.getStandardFileManager(null, null, null);
                Stream<Path> face = Files.list(HOME.resolve("library/spark/src/main/java/dev/perhaps/spark"))) {
            List<Path> sources =
                    face.filter(file -> file.toString().endsWith(".java")).toList();
            assertThat(sources).isNotEmpty();
            missing.addAll(missing(files.getJavaFileObjectsFromPaths(sources)));
        }
        assertThat(checked).isGreaterThan(100);
        assertThat(missing).isEmpty();
    }

    @Test
    void elementsWithoutCommentAreNamed() throws IOException {
        String source = """
                package p;
                /** Documented. */
                public class Outer {
                    public static final int FIELD = 1;
                    public Outer() {}
                    protected void method(int n) {}
                    /** Documented. */
                    public void documented() {}
                    /** */
                    public void empty() {}
                    @Override public String toString() { return ""; }
                    void hidden() {}
                    private static class Hidden { public void hidden() {} }
                    public interface Inner { void implicitlyPublic(); }
                    /** Documented. */
                    public enum Choice { FIRST }
                    /** Documented. */
                    public record Pair(int a, int b) { public Pair { assert a > b; } public int sum() { return a + b; } }
                    /** Documented. */
                    public static final class Last { private Last() {} protected void unreachable() {} }
                    /** Documented. */
                    public static final class Front<T> extends Base<T> {}
                }
                /** Documented. */
                abstract class Base<T> extends BaseOfBase { public void inherited(T t) {} void hidden() {} }
                /** Documented. */
                abstract class BaseOfBase { public void inherited() {} }
                abstract class Unused { public void hidden() {} }
                """;
        SimpleJavaFileObject file =
                new SimpleJavaFileObject(Path.of("Outer.java").toAbsolutePath().toUri(), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        assertThat(missing(List.of(file)))
                .containsExactly(
                        "p.Outer.FIELD",
                        "p.Outer.Outer()",
                        "p.Outer.method(int)",
                        "p.Outer.empty()",
                        "p.Outer.Inner",
                        "p.Outer.Inner.implicitlyPublic()",
                        "p.Outer.Choice.FIRST",
                        "p.Outer.Pair.sum()",
                        "p.Base.inherited(T)",
                        "p.BaseOfBase.inherited()");
    }

    /** Folders of the modules that have a {@code module-info}. */
    private static List<String> modules() throws IOException {
        List<String> found = new ArrayList<>();
        for (String floor : List.of("library", "apps", "workshop")) {
            try (Stream<Path> folders = Files.list(HOME.resolve(floor))) {
                folders.filter(folder -> Files.exists(folder.resolve("src/main/java/module-info.java")))
                        .map(folder -> floor + "/" + folder.getFileName())
                        .sorted()
                        .forEach(found::add);
            }
        }
        assertThat(found)
                .contains("library/core", "library/jdbc", "apps/web", "apps/chord", "apps/proxy", "apps/server");
        return found;
    }

    private static List<Path> exportedSources(Path sources) throws IOException {
        List<Path> files = new ArrayList<>();
        try (StandardJavaFileManager manager = COMPILER.getStandardFileManager(null, null, null)) {
            JavacTask task = task(manager.getJavaFileObjects(sources.resolve("module-info.java")));
            for (CompilationUnitTree unit : task.parse()) {
                for (Tree directive : unit.getModule().getDirectives()) {
                    // With "to", the package is exported to our own modules only.
                    if (directive instanceof ExportsTree exports && exports.getModuleNames() == null) {
                        Path folder = sources.resolve(
                                exports.getPackageName().toString().replace('.', '/'));
                        try (Stream<Path> all = Files.list(folder)) {
                            all.filter(file -> file.toString().endsWith(".java"))
                                    .sorted()
                                    .forEach(files::add);
                        }
                    }
                }
            }
        }
        return files;
    }

    private static List<String> missing(Iterable<? extends JavaFileObject> files) throws IOException {
        JavacTask task = task(files);
        DocTrees docs = DocTrees.instance(task);
        List<String> missing = new ArrayList<>();
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        Set<String> bases = hiddenBases(units);
        for (CompilationUnitTree unit : units) {
            TreePath root = new TreePath(unit);
            if (unit.getSourceFile().getName().endsWith("package-info.java")) {
                if (blank(docs, new TreePath(root, unit.getPackage()))) {
                    missing.add("package " + unit.getPackageName());
                }
            }
            for (Tree type : unit.getTypeDecls()) {
                if (type instanceof ClassTree declared) {
                    type(docs, new TreePath(root, declared), declared, bases, false, missing);
                }
            }
        }
        return missing;
    }

    /** Classes that users do not see, and whose public methods they call: those that a visible class extends. */
    private static Set<String> hiddenBases(List<CompilationUnitTree> units) {
        Map<String, List<String>> hidden = new HashMap<>();
        Deque<String> open = new ArrayDeque<>();
        for (CompilationUnitTree unit : units) {
            for (Tree type : unit.getTypeDecls()) {
                if (type instanceof ClassTree declared) {
                    supertypes(declared, unit.getPackageName() + ".", true, false, hidden, open);
                }
            }
        }
        Set<String> bases = new HashSet<>();
        while (!open.isEmpty()) {
            String name = open.remove();
            if (hidden.containsKey(name) && bases.add(name)) {
                open.addAll(hidden.get(name));
            }
        }
        return bases;
    }

    /** Puts what a type extends and implements to the names in use, if users see the type, and otherwise to those of hidden ones. */
    private static void supertypes(
            ClassTree type,
            String room,
            boolean outerSeen,
            boolean inInterface,
            Map<String, List<String>> hidden,
            Deque<String> open) {
        boolean seen = outerSeen && visible(type.getModifiers(), inInterface);
        List<String> names = Stream.concat(
                        Stream.ofNullable(type.getExtendsClause()), type.getImplementsClause().stream())
                .map(tree -> room + tree.toString().replaceFirst("<.*", ""))
                .toList();
        if (seen) {
            open.addAll(names);
        } else {
            hidden.put(room + type.getSimpleName(), names);
        }
        for (Tree member : type.getMembers()) {
            if (member instanceof ClassTree nested) {
                supertypes(nested, room, seen, type.getKind() == Tree.Kind.INTERFACE, hidden, open);
            }
        }
    }

    private static JavacTask task(Iterable<? extends JavaFileObject> files) {
        return (JavacTask) COMPILER.getTask(null, null, null, List.of("-proc:none"), null, files);
    }

    private static void type(
            DocTrees docs,
            TreePath path,
            ClassTree type,
            Set<String> bases,
            boolean inInterface,
            List<String> missing) {
        String room = path.getCompilationUnit().getPackageName() + ".";
        if (!visible(type.getModifiers(), inInterface) && !bases.contains(room + type.getSimpleName())) {
            return;
        }
        String name = room + nesting(path);
        if (blank(docs, path)) {
            missing.add(name);
        }
        boolean members = type.getKind() == Tree.Kind.INTERFACE || type.getKind() == Tree.Kind.ANNOTATION_TYPE;
        boolean closed = type.getModifiers().getFlags().contains(Modifier.FINAL)
                || type.getKind() == Tree.Kind.ENUM
                || type.getKind() == Tree.Kind.RECORD;
        for (Tree member : type.getMembers()) {
            TreePath below = new TreePath(path, member);
            if (member instanceof ClassTree nested) {
                type(docs, below, nested, bases, members, missing);
            } else if (member instanceof MethodTree method) {
                if (reachable(method.getModifiers(), members, closed)
                        && !overrides(method)
                        && !canonical(type, method)
                        && blank(docs, below)) {
                    missing.add(name + "." + signature(type, method));
                }
            } else if (member instanceof VariableTree field
                    && reachable(field.getModifiers(), members, closed)
                    && blank(docs, below)) {
                missing.add(name + "." + field.getName());
            }
        }
    }

    /** The name of a type, after those of the types around it. */
    private static String nesting(TreePath path) {
        String name = "";
        for (TreePath at = path; at.getLeaf() instanceof ClassTree type; at = at.getParentPath()) {
            name = type.getSimpleName() + (name.isEmpty() ? "" : "." + name);
        }
        return name;
    }

    private static boolean visible(ModifiersTree modifiers, boolean inInterface) {
        Set<Modifier> flags = modifiers.getFlags();
        return inInterface && !flags.contains(Modifier.PRIVATE)
                || flags.contains(Modifier.PUBLIC)
                || flags.contains(Modifier.PROTECTED);
    }

    /** Whether a user can call it: a protected member of a class that nobody extends is out of reach. */
    private static boolean reachable(ModifiersTree modifiers, boolean inInterface, boolean closed) {
        return visible(modifiers, inInterface)
                && !(closed && modifiers.getFlags().contains(Modifier.PROTECTED));
    }

    private static boolean overrides(MethodTree method) {
        return method.getModifiers().getAnnotations().stream()
                .anyMatch(
                        annotation -> annotation.getAnnotationType().toString().equals("Override"));
    }

    /** The constructor of a record that takes its components, which the comment of the record describes. */
    private static boolean canonical(ClassTree type, MethodTree method) {
        if (type.getKind() != Tree.Kind.RECORD || !method.getName().contentEquals("<init>")) {
            return false;
        }
        long components = type.getMembers().stream()
                .filter(member -> member instanceof VariableTree field
                        && !field.getModifiers().getFlags().contains(Modifier.STATIC))
                .count();
        return method.getParameters().size() == components;
    }

    private static String signature(ClassTree type, MethodTree method) {
        Object name = method.getName().contentEquals("<init>") ? type.getSimpleName() : method.getName();
        return method.getParameters().stream()
                .map(parameter -> parameter.getType().toString())
                .collect(Collectors.joining(", ", name + "(", ")"));
    }

    private static boolean blank(DocTrees docs, TreePath path) {
        String comment = docs.getDocComment(path);
        return comment == null || comment.isBlank();
    }
}
