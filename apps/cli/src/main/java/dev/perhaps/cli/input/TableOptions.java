package dev.perhaps.cli.input;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a user says about tables beside the format.
 *
 * @param header false with {@code --no-header}: the first row is data
 * @param delimiter what {@code --delimiter} says; a comma if null
 * @param warn gets warnings about likely mistakes
 */
public record TableOptions(boolean header, @Nullable String delimiter, Consumer<String> warn) {
    /** Returns the defaults: a header row, commas and no warnings. */
    static TableOptions usual() {
        return new TableOptions(true, null, text -> {});
    }

    boolean any() {
        return !header || delimiter != null;
    }
}
