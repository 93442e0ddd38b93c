package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.io.Mergeable;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code perhaps filter merge}: the union of filters. */
@Command(
        name = "merge",
        description = {"Writes the union of filters that were built alike.", ""},
        footer = {"", "Example:", "  perhaps filter merge monday.filter tuesday.filter -o week.filter"},
        mixinStandardHelpOptions = true)
final class FilterMerge implements Callable<Integer> {
    @Mixin
    private FilterCombine combine = new FilterCombine();

    @Override
    public Integer call() throws IOException {
        combine.run(FilterMerge::merge);
        return Main.DONE;
    }

    @SuppressWarnings("unchecked") // a filter merges with its own kind, which is checked first
    private static void merge(Path file, HashFilter<?> first, HashFilter<?> other) {
        if (!(first instanceof Mergeable<?>)) {
            throw new BadInput(file + " is a " + first.kind() + ", which cannot be merged: build one from all items");
        }
        if (first.kind() != other.kind()) {
            throw new IllegalArgumentException("a " + first.kind() + " does not merge with a " + other.kind());
        }
        ((Mergeable<HashFilter<?>>) first).merge(other);
    }
}
