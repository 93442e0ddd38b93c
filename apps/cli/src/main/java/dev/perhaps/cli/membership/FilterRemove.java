package dev.perhaps.cli.membership;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code perhaps filter remove}: removes one occurrence of each thing in the input. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "remove",
        description = {
            "Removes one occurrence of each item in the input from a filter that can remove.",
            "Remove only what was added: removing a false positive removes another item too.",
            ""
        },
        footer = {
            "",
            "Without -o the file is changed in place: it is locked while it is read, and",
            "replaced as a whole.",
            "",
            "Example:",
            "  perhaps filter remove sessions.filter ended.txt"
        },
        mixinStandardHelpOptions = true)
final class FilterRemove implements Callable<Integer>, FilterEdit.Change {
    @Mixin
    private FilterEdit edit = new FilterEdit();

    private long removed;
    private long missing;

    @Override
    public Integer call() throws IOException {
        edit.run("removing", this);
        Console.say("removed " + Figures.count(removed) + ", " + Figures.count(missing) + " were not there");
        return ExitCodes.DONE;
    }

    @Override
    public void check(HashFilter<?> filter, SketchFile file) {
        if (!(filter instanceof HashFilter.Removes<?>)) {
            throw new BadInput(file + " is a " + filter.kind() + ", which cannot remove: build it with --kind counting,"
                    + " cuckoo or quotient");
        }
    }

    @Override
    public void apply(HashFilter<?> filter, long[] hashes, int from, int to) {
        HashFilter.Removes<?> removes = (HashFilter.Removes<?>) filter;
        for (int i = from; i < to; i++) {
            if (removes.removeHash(hashes[i])) {
                removed++;
            } else {
                missing++;
            }
        }
    }
}
