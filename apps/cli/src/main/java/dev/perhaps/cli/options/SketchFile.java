package dev.perhaps.cli.options;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A sketch to be read: a file, a pipe, or {@code -} for standard input. Its header is read once, and so is the rest. */
public final class SketchFile {
    private final String text;

    private SketchFile(String text) {
        this.text = text;
    }

    /** As it is typed on the command line. */
    public static SketchFile of(String text) {
        return new SketchFile(text);
    }

    public boolean isStandard() {
        return text.equals(Input.STANDARD);
    }

    /** Returns its path; standard input has none. */
    public Path path() {
        if (isStandard()) {
            throw new BadInput("a sketch from standard input cannot be used here: name its file");
        }
        return Path.of(text);
    }

    public Sketch open() throws IOException {
        if (!isStandard()) {
            return Perhaps.open(path());
        }
        try {
            return Perhaps.readFrom(System.in, Runtime.getRuntime().maxMemory());
        } catch (FormatException e) {
            throw new FormatException(this + ": " + e.getMessage());
        }
    }

    /** Standard input is the sketch or what is read with it, not both. */
    public void refuseAsInput(List<Input> inputs) {
        if (!inputs.isEmpty()) {
            refuseAsNamedInput(inputs.stream().map(Input::path).toList());
        }
    }

    /** Does the same for inputs by their names; without names, standard input is read. */
    public void refuseAsNamedInput(List<String> names) {
        if (isStandard() && (names.isEmpty() || names.contains(Input.STANDARD))) {
            throw new BadInput("standard input cannot be both the sketch and INPUT: name a file for one of them");
        }
    }

    /** Opens the file, changes it and writes it to the output or, without one, in its place, under a lock. */
    public <T> T edit(@Nullable Output output, Overwrite overwrite, LockedFile.Edit<T> edit) throws IOException {
        if (!isStandard()) {
            return LockedFile.edit(path(), output, overwrite, edit);
        }
        if (output == null) {
            throw new BadInput("a sketch from standard input cannot be written back: use -o FILE, or -o -");
        }
        output.check();
        Sketch sketch = open();
        overwrite.check(output, sketch.kind());
        return edit.apply(sketch, output);
    }

    /** The name for messages. */
    @Override
    public String toString() {
        return isStandard() ? "standard input" : text;
    }
}
