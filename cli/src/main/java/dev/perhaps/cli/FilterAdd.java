package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code perhaps filter add}: adds what is in the input. */
@Command(
        name = "add",
        description = {"Adds everything in the input to a filter.", ""},
        footer = {
            "",
            "Without -o the file is changed in place: locked while it is read, and replaced whole.",
            "",
            "Example:",
            "  perhaps filter add seen.filter today.log"
        },
        mixinStandardHelpOptions = true)
final class FilterAdd implements Callable<Integer>, FilterEdit.Change {
    @Mixin
    private FilterEdit edit = new FilterEdit();

    private long taken;

    @Override
    public Integer call() throws IOException {
        edit.run("adding", this);
        return Main.DONE;
    }

    @Override
    public void check(HashFilter<?> filter, Path file) {
        if (!(filter instanceof HashFilter.Adds<?>)) {
            throw new BadInput(file + " is a " + filter.kind()
                    + ", which cannot be added to once it is built: build it again from all its items");
        }
    }

    @Override
    public void apply(HashFilter<?> filter, long[] hashes, int from, int to) {
        int added = ((HashFilter.Adds<?>) filter).addHashes(hashes, from, to);
        taken += added;
        if (added < to - from) {
            String grow = filter instanceof HashFilter.Grows<?> ? "'perhaps filter grow' it, or " : "";
            throw new BadInput(edit.file() + " is full: it took " + Figures.count(taken)
                    + " more items and is left as it was; " + grow + "build a bigger one with --items");
        }
    }
}
