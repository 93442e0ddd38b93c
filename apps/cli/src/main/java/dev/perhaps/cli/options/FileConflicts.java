package dev.perhaps.cli.options;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Refuses a command that would write over one of its inputs, or write two outputs to one file. It looks at the parsed
 * arguments of every command before the command runs, so that no command has to remember it.
 */
public final class FileConflicts {
    /*
     * Outputs are the options of type Output. Inputs are all arguments that can name a file: every argument of type Path or
     * SketchFile, every positional argument except those that are never files, the options labelled so, and standard input
     * where it is a file. A new command is covered without doing anything; a value that is not a file name costs one look.
     *
     * Two names are one file if the file system says so: links of both kinds and other spellings are seen. Only regular
     * files count: a device or a pipe holds nothing that could be lost.
     */
    private static final Set<String> LABELS_OF_NO_FILE = Set.of("NAME", "KEY", "ID", "Q", "FROM", "TO", "DIR");
    private static final Set<String> LABELS_OF_FILES = Set.of("FILE", "INPUT", "NODES", "CAPTURE");
    private static final Path STANDARD_INPUT = Path.of("/dev/stdin");

    private FileConflicts() {}

    /** A command whose {@code -o} may name its input: all of it is read before the output is replaced. */
    public interface ReplacesInput {
        boolean mayReplaceInput();
    }

    private record NamedOutput(ArgSpec argument, Output output) {}

    /** Refuses the command if there is a conflict. */
    public static void refuse(CommandSpec command) throws IOException {
        List<NamedOutput> outputs = new ArrayList<>();
        for (ArgSpec argument : command.args()) {
            if (argument.getValue() instanceof Output output) {
                outputs.add(new NamedOutput(argument, output));
            }
        }
        refuseStandardTwice(command);
        refuseReadingEdited(command);
        Map<Path, List<Path>> insideFolders = new LinkedHashMap<>();
        for (NamedOutput output : outputs) {
            if (!output.output.isStandard()) {
                refuseInputs(command, output, insideFolders);
            }
        }
        for (Map.Entry<Path, List<Path>> each : insideFolders.entrySet()) {
            refuseInside(each.getKey(), each.getValue());
        }
        for (int i = 0; i < outputs.size(); i++) {
            for (NamedOutput other : outputs.subList(0, i)) {
                if (isSamePlace(outputs.get(i).output, other.output)) {
                    throw new BadInput(outputs.get(i).output + " is named for two outputs: each needs its own file");
                }
            }
        }
    }

    /** What reads standard input a second time would find nothing there. */
    private static void refuseStandardTwice(CommandSpec command) {
        long named = command.args().stream()
                .flatMap(argument -> values(argument).stream().filter(each -> isStandard(argument, each)))
                .count();
        if (named > 1) {
            throw new BadInput("standard input can be read only once: name a file in place of one -");
        }
    }

    private static boolean isStandard(ArgSpec argument, Object value) {
        if (value instanceof SketchFile sketch) {
            return sketch.isStandard();
        }
        return (value instanceof Path || value instanceof String && isFileName(argument))
                && value.toString().equals(Input.STANDARD);
    }

    /** A sketch that is changed in place is not text to read as well. */
    private static void refuseReadingEdited(CommandSpec command) {
        for (ArgSpec edited : command.args()) {
            if (edited.getValue() instanceof SketchFile sketch && isEdited(edited) && !sketch.isStandard()) {
                for (ArgSpec argument : command.args()) {
                    for (String name : argument == edited ? List.<String>of() : fileNames(argument)) {
                        if (isSame(Path.of(name), sketch.path())) {
                            throw new BadInput(
                                    sketch + " is changed by this command, and is an input too: name another");
                        }
                    }
                }
            }
        }
    }

    /** Notes in {@code insideFolders} which folders are read, and what must not be inside: each is walked once. */
    private static void refuseInputs(CommandSpec command, NamedOutput output, Map<Path, List<Path>> insideFolders) {
        Path written = output.output.path();
        if (!Files.isRegularFile(written)) {
            return;
        }
        boolean mayReplace = isNamed(output.argument, "-o")
                && command.userObject() instanceof ReplacesInput replacing
                && replacing.mayReplaceInput();
        if (!mayReplace && isSame(STANDARD_INPUT, written)) {
            throw new BadInput(written + " is read as standard input, and would be replaced: name another output");
        }
        for (ArgSpec argument : command.args()) {
            boolean replaceable = isEdited(argument) || mayReplace && argument.isPositional();
            for (String name : fileNames(argument)) {
                Path read = Path.of(name);
                if (Files.isDirectory(read)) {
                    insideFolders
                            .computeIfAbsent(read, folder -> new ArrayList<>())
                            .add(written);
                } else if (!replaceable && isSame(read, written)) {
                    String same = read.equals(written) ? "" : " (the same file as " + read + ")";
                    throw new BadInput(written + same
                            + " is an input of this command, and would be replaced: name another output");
                }
            }
        }
    }

    /** A sketch that a command changes: to write it back is what the command is for. */
    private static boolean isEdited(ArgSpec argument) {
        OptionSpec output = argument.command().findOption("-o");
        return argument.isPositional()
                && argument.getValue() instanceof SketchFile
                && output != null
                && !output.required();
    }

    private static boolean isNamed(ArgSpec argument, String name) {
        return argument instanceof OptionSpec option && List.of(option.names()).contains(name);
    }

    /** The files that an argument may name. */
    private static List<String> fileNames(ArgSpec argument) {
        List<String> names = new ArrayList<>();
        for (Object each : values(argument)) {
            if (each instanceof Path path && !LABELS_OF_NO_FILE.contains(argument.paramLabel())) {
                names.add(path.toString());
            } else if (each instanceof SketchFile sketch) {
                names.add(sketch.isStandard() ? "" : sketch.path().toString());
            } else if (each instanceof String text && isFileName(argument)) {
                names.add(text);
            }
        }
        names.removeIf(name -> name.isEmpty() || name.equals(Input.STANDARD) || name.indexOf('\0') >= 0);
        return names;
    }

    private static Collection<?> values(ArgSpec argument) {
        Object value = argument.getValue();
        if (value instanceof Collection<?> many) {
            return many;
        }
        return value == null ? List.of() : List.of(value);
    }

    private static boolean isFileName(ArgSpec argument) {
        return argument instanceof PositionalParamSpec
                ? !LABELS_OF_NO_FILE.contains(argument.paramLabel())
                : LABELS_OF_FILES.contains(argument.paramLabel());
    }

    private static void refuseInside(Path folder, List<Path> written) throws IOException {
        Map<Object, Path> byKey = new HashMap<>();
        for (Path file : written) {
            Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
            byKey.put(key == null ? file.toRealPath() : key, file);
        }
        Files.walkFileTree(folder.toRealPath(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                Object key = attributes.fileKey();
                Path replaced = byKey.get(key == null ? file : key);
                if (replaced != null) {
                    throw new BadInput(replaced + " lies in " + folder
                            + ", which is read, and would be replaced: name another output, or delete it first");
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE; // reading it will report that
            }
        });
    }

    private static boolean isSame(Path read, Path written) {
        try {
            return Files.isRegularFile(read) && Files.isSameFile(read, written);
        } catch (IOException e) {
            return false; // what cannot be looked at is not read either
        }
    }

    private static boolean isSamePlace(Output a, Output b) throws IOException {
        if (a.isStandard() || b.isStandard()) {
            return a.isStandard() && b.isStandard();
        }
        if (Files.exists(a.path()) && Files.exists(b.path())) {
            return Files.isRegularFile(a.path()) && Files.isSameFile(a.path(), b.path());
        }
        return place(a.path()).equals(place(b.path()));
    }

    /** Where a file that is not there yet will be. */
    private static Path place(Path file) throws IOException {
        Path absolute = file.toAbsolutePath();
        Path folder = absolute.getParent();
        Path name = absolute.getFileName();
        return folder == null || name == null || !Files.exists(folder)
                ? absolute
                : folder.toRealPath().resolve(name);
    }
}
