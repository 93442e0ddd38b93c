package dev.perhaps.cli.membership;

import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.sketch.Mergeable;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code perhaps filter merge}: the union of filters. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "merge",
        description = {"Merges filters that were built with the same settings into their union.", ""},
        footer = {"", "Example:", "  perhaps filter merge monday.filter tuesday.filter -o week.filter"},
        mixinStandardHelpOptions = true)
final class FilterMerge implements Callable<Integer> {
    @Mixin
    private FilterCombine combine = new FilterCombine();

    @Override
    public Integer call() throws IOException {
        combine.run(FilterMerge::merge);
        return ExitCodes.DONE;
    }

    @SuppressWarnings("unchecked") // a filter merges with its own kind, which is checked first
    private static void merge(SketchFile file, HashFilter<?> first, HashFilter<?> other) {
        if (!(first instanceof Mergeable<?>)) {
            throw new BadInput(file + " is a " + first.kind() + ", which cannot be merged: build one from all items");
        }
        if (first.kind() != other.kind()) {
            throw new IllegalArgumentException("a " + first.kind() + " does not merge with a " + other.kind());
        }
        ((Mergeable<HashFilter<?>>) first).merge(other);
    }
}
