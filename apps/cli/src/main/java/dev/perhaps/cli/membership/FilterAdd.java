package dev.perhaps.cli.membership;

import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.AtOption;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code perhaps filter add}: adds what is in the input. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "add",
        description = {"Adds everything in the input to a filter.", ""},
        footer = {
            "",
            "Without -o the file is changed in place: it is locked while it is read, and",
            "replaced as a whole.",
            "",
            "Examples:",
            "  perhaps filter add seen.filter today.log",
            "  perhaps filter add lately.filter noon.log --at 2026-11-17T12:00:00Z"
        },
        mixinStandardHelpOptions = true)
final class FilterAdd implements Callable<Integer>, FilterEdit.Change {
    @Mixin
    private FilterEdit edit = new FilterEdit();

    @Mixin
    private AtOption at = new AtOption();

    private long taken;

    @Override
    public Integer call() throws IOException {
        edit.run("adding", this);
        return ExitCodes.DONE;
    }

    @Override
    public void check(HashFilter<?> filter, SketchFile file) {
        if (!(filter instanceof HashFilter.Adds<?>)) {
            throw new BadInput(file + " is a " + filter.kind()
                    + ", which cannot be added to once it is built: build it again from all its items");
        }
    }

    @Override
    public HashFilter<?> prepare(HashFilter<?> filter, SketchFile file) {
        return at.of(filter, file);
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
