package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code perhaps filter remove}: removes one occurrence of each thing in the input. */
@Command(
        name = "remove",
        description = {
            "Removes one occurrence of everything in the input from a filter that can.",
            "Remove only what was added: something else that is answered 'perhaps' takes another item with it.",
            ""
        },
        footer = {
            "",
            "Without -o the file is changed in place: locked while it is read, and replaced whole.",
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
        return Main.DONE;
    }

    @Override
    public void check(HashFilter<?> filter, Path file) {
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
