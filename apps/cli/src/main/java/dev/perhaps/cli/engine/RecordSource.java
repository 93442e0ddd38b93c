package dev.perhaps.cli.engine;

import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.cli.input.Decimals;
import dev.perhaps.cli.input.Fields;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.input.TableOptions;
import dev.perhaps.key.Key;
import java.io.Serializable;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What to read and how, for a reader in another process: the words of the user, from which the same {@link KeyForm} is
 * made there.
 *
 * @param inputs files, as they were named
 * @param format what {@code --format} says
 * @param weight the field that holds an amount, if there is one
 * @param decimals how numbers are read
 * @param header false with {@code --no-header}
 * @param delimiter what {@code --delimiter} says
 * @param skipsBad true with {@code --skip-bad}
 */
public record RecordSource(
        List<String> inputs,
        String format,
        @Nullable String weight,
        Decimals decimals,
        boolean header,
        @Nullable String delimiter,
        boolean skipsBad)
        implements Serializable {
    private static final long serialVersionUID = 1;

    /** Returns the form; {@code warn} gets warnings about likely mistakes. */
    public KeyForm form(BadRecords bad, Consumer<String> warn) {
        TableOptions table = new TableOptions(header, delimiter, warn);
        return KeyForm.of(format, Key.DEFAULT_SEED, new Fields(weight, null, bad, table, decimals));
    }

    /** Returns the policy for bad records: the first is an error, or all are counted and the first few are reported. */
    public BadRecords bad(Consumer<String> problems) {
        return skipsBad ? BadRecords.gathered(problems) : BadRecords.refusedUnlessSkipped();
    }
}
