package dev.perhaps.cli.engine;

import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.cli.input.BasketForm;
import dev.perhaps.cli.input.TableOptions;
import java.io.Serializable;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which baskets to read and how, for a reader in another process.
 *
 * @param inputs files, as they were named
 * @param format what {@code --format} says
 * @param separator what {@code --separator} says
 * @param header false with {@code --no-header}
 * @param delimiter what {@code --delimiter} says
 * @param skipsBad true with {@code --skip-bad}
 * @param inColumns true if names that a column of a file cannot hold are refused
 */
public record BasketSource(
        List<String> inputs,
        String format,
        @Nullable String separator,
        boolean header,
        @Nullable String delimiter,
        boolean skipsBad,
        boolean inColumns)
        implements Serializable {
    private static final long serialVersionUID = 1;

    /** Returns the form; {@code warn} gets warnings about likely mistakes. */
    public BasketForm form(BadRecords bad, Consumer<String> warn) {
        return BasketForm.of(format, separator, new TableOptions(header, delimiter, warn), bad);
    }

    /** Returns the policy for bad records: the first is an error, or all are counted and the first few are reported. */
    public BadRecords bad(Consumer<String> problems) {
        return skipsBad ? BadRecords.gathered(problems) : BadRecords.refusedUnlessSkipped();
    }
}
