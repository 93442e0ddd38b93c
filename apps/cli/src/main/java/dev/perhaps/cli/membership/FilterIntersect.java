package dev.perhaps.cli.membership;

import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code perhaps filter intersect}: what may be in all of several filters. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "intersect",
        description = {
            "Intersects Bloom filters that were built with the same settings.",
            "The result has more false positives than a filter built from the common items.",
            ""
        },
        footer = {"", "Example:", "  perhaps filter intersect monday.filter tuesday.filter -o both.filter"},
        mixinStandardHelpOptions = true)
final class FilterIntersect implements Callable<Integer> {
    @Mixin
    private FilterCombine combine = new FilterCombine();

    @Override
    public Integer call() throws IOException {
        combine.run(FilterIntersect::intersect);
        return ExitCodes.DONE;
    }

    @SuppressWarnings("unchecked") // the keys are compared by intersect itself
    private static void intersect(SketchFile file, HashFilter<?> first, HashFilter<?> other) {
        if (!(first instanceof BloomFilter<?> bloom) || !(other instanceof BloomFilter<?> more)) {
            throw new BadInput("only bloom filters can be intersected, got a " + first.kind() + " (" + file + ") and a "
                    + other.kind());
        }
        ((BloomFilter<Object>) bloom).intersect((BloomFilter<Object>) more);
    }
}
