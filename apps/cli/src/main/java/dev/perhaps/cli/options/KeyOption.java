package dev.perhaps.cli.options;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.key.Key;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** {@code --key}: single keys on the command line instead of input files. */
public final class KeyOption {
    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "Look up this key, given as text, instead of reading INPUT; repeatable.")
    private List<String> keys = new ArrayList<>();

    /** Returns true if there is a {@code --key}; refuses it together with inputs or a format. */
    public boolean isGiven(List<String> inputNames, RecordOptions reading) {
        if (!keys.isEmpty() && (!inputNames.isEmpty() || reading.hasFormat())) {
            throw new BadInput("--key takes the place of INPUT and --format: leave one or the other out");
        }
        return !keys.isEmpty();
    }

    /** Reads each key as if it were the only record of an input, for a sketch with this key. */
    public void each(Key<?> key, KeyForm.Sink sink) throws IOException {
        KeyForm form = KeyForm.ofKeyName(key.name(), key.seed());
        if (form.manyKeysEach()) {
            throw new BadInput("--key asks for one key, and '" + key.name()
                    + "' takes many from a sequence: give the sequence as INPUT");
        }
        // Columns, fields and words of a record are keys as text.
        KeyForm single = form.keepsKeys() ? KeyForm.of("lines", key.seed()) : form;
        for (String text : keys) {
            if (text.indexOf('\n') >= 0) {
                throw new BadInput("--key must be one line, got '" + text + "'");
            }
            single.ask("--key", new ByteArrayInputStream((text + "\n").getBytes(StandardCharsets.UTF_8)), sink);
        }
    }
}
