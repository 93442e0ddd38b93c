package dev.perhaps.cli;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.io.Sketch;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.nio.file.Path;

/** Files that must be filters. */
final class Filters {
    private Filters() {}

    static HashFilter<?> open(Path file) throws IOException {
        return of(file, Perhaps.open(file));
    }

    static HashFilter<?> of(Path file, Sketch sketch) {
        if (sketch instanceof HashFilter<?> filter) {
            return filter;
        }
        throw new BadInput(file + ": it holds a " + sketch.kind() + ", which is no filter");
    }
}
