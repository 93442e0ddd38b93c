package dev.perhaps.cli.options;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.frame.Frame;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** What a sketch may replace: a sketch of its own kind, or an empty file; anything else only with {@code --force}. */
public final class Overwrite {
    @Option(
            names = "--force",
            description = "Replace the output file even if it holds another kind of sketch or is not a Perhaps file.")
    private boolean force;

    public boolean isForced() {
        return force;
    }

    /** Refuses an output that cannot be written, or that holds something else; to be called before the work begins. */
    public void check(Output output, Kind kind) throws IOException {
        output.check();
        Path file = output.path();
        if (force || output.isStandard() || !Files.isRegularFile(file) || Files.size(file) == 0) {
            return;
        }
        Kind found;
        try {
            found = Frame.look(file).kind();
        } catch (FormatException e) {
            throw new BadInput(e.getMessage() + "; it is not replaced by a sketch of kind " + kind
                    + ": name another output, or replace it with --force");
        }
        if (found != kind) {
            throw new BadInput(output + " holds a sketch of kind " + found + ", and is not replaced by one of kind "
                    + kind + ": name another output, or replace it with --force");
        }
    }
}
