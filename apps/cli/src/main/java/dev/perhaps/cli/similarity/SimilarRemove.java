package dev.perhaps.cli.similarity;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.LineTexts;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.Overwrite;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.io.Figures;
import dev.perhaps.similarity.index.SimilarityIndex;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps similar remove}: documents out of an index, by name. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "remove",
        description = {"Removes documents from an index by their names.", ""},
        footer = {
            "",
            "Without -o the file is changed in place: it is locked while it is read, and replaced as a whole. If the kept"
                    + " document of a cluster is removed, the next new one of that cluster is kept.",
            "",
            "Examples:",
            "  perhaps similar remove seen.index docs/old.txt",
            "  perhaps similar remove seen.index --names gone.txt"
        },
        mixinStandardHelpOptions = true)
final class SimilarRemove implements Callable<Integer> {
    /** The number of names printed, of those that are not there. */
    private static final int TOLD = 3;

    @Parameters(index = "0", paramLabel = "INDEX", description = "The index's file.")
    @SuppressWarnings("NullAway.Init") // required
    private SketchFile file;

    @Parameters(index = "1..*", paramLabel = "NAME", arity = "0..*", description = "Names of documents.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--names",
            paramLabel = "FILE",
            description = "A file with names, one per line; - is standard input.")
    private @Nullable String namesFile;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            description = "Write the result here and leave INDEX as it is (default: change it in place).")
    private @Nullable Output output;

    @Mixin
    private Overwrite overwrite = new Overwrite();

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
            throw new BadInput("name the documents to remove: NAME, or --names FILE");
        }
        return file.edit(output, overwrite, (sketch, target) -> remove(sketch, target, all));
    }

    private int remove(Sketch sketch, Output target, Set<String> all) throws IOException {
        SimilarityIndex index = Indexes.of(file, sketch);
        List<String> unknown =
                all.stream().filter(name -> !index.contains(name)).toList();
        for (String name : unknown.subList(0, Math.min(TOLD, unknown.size()))) {
            Console.warn("there is no document named '" + name + "' in " + file);
        }
        int removed = index.removeAll(all);
        target.save(index);
        Console.say("removed " + Figures.count(removed) + " of " + Figures.count(all.size()) + " names");
        Indexes.tell(target, index);
        return ExitCodes.DONE;
    }
}
