package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.LineTexts;
import dev.perhaps.io.Figures;
import dev.perhaps.io.Sketch;
import dev.perhaps.similarity.SimilarityIndex;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps similar remove}: documents out of an index, by name. */
@Command(
        name = "remove",
        description = {"Removes documents from an index by their names.", ""},
        footer = {
            "",
            "Without -o the file is changed in place: locked while it is read, and replaced whole. Where the kept document of a",
            "cluster is removed, the next new one of that cluster is kept.",
            "",
            "Examples:",
            "  perhaps similar remove seen.index docs/old.txt",
            "  perhaps similar remove seen.index --names gone.txt"
        },
        mixinStandardHelpOptions = true)
final class SimilarRemove implements Callable<Integer> {
    /** Of the names that are not there, so many are told. */
    private static final int TOLD = 3;

    @Parameters(index = "0", paramLabel = "INDEX", description = "The index's file.")
    @SuppressWarnings("NullAway.Init") // required
    private Path file;

    @Parameters(index = "1..*", paramLabel = "NAME", arity = "0..*", description = "Names of documents.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--names", paramLabel = "FILE", description = "Names, one a line; - is standard input.")
    private @Nullable String namesFile;

    @Option(
            names = "-o",
            converter = OutputPath.class,
            paramLabel = "OUT",
            description = "Write the result here and leave INDEX as it is; in place if not said.")
    private @Nullable Path output;

    @Override
    public Integer call() throws IOException {
        Set<String> all = new LinkedHashSet<>(names);
        if (namesFile != null) {
            LineTexts lines = LineTexts.lines(LineTexts.Room.inMemory());
            lines.read(Input.all(List.of(namesFile)), Progress.silent());
            for (int line = 0; line < lines.count(); line++) {
                all.add(new String(lines.utf8(line), StandardCharsets.UTF_8));
            }
        } else if (all.isEmpty()) {
            throw new BadInput("say which documents to remove: NAME, or --names FILE");
        }
        return LockedFile.edit(file, output, (sketch, target) -> remove(sketch, target, all));
    }

    private int remove(Sketch sketch, Path target, Set<String> all) throws IOException {
        SimilarityIndex index = Indexes.of(file, sketch);
        List<String> unknown =
                all.stream().filter(name -> !index.contains(name)).toList();
        for (String name : unknown.subList(0, Math.min(TOLD, unknown.size()))) {
            Console.warn("there is no document named '" + name + "' in " + file);
        }
        int removed = index.removeAll(all);
        index.save(target);
        Console.say("removed " + Figures.count(removed) + " of " + Figures.count(all.size()) + " names");
        Indexes.tell(target, index);
        return Main.DONE;
    }
}
