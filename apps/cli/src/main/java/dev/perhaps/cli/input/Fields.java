package dev.perhaps.cli.input;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Which fields of a record are read beside its key: how much it counts ({@code --by}) and when it was ({@code --time}).
 *
 * @param weight the field that holds a number; each record counts 1 if null
 * @param time the field that holds a time; none is known if null
 * @param bad what becomes of records in which these cannot be read
 * @param table how a table is written, if it is one
 * @param decimals how numbers are read
 */
public record Fields(
        @Nullable String weight, @Nullable String time, BadRecords bad, TableOptions table, Decimals decimals) {
    /** Of tables with a header row, with whole numbers. */
    public Fields(@Nullable String weight, @Nullable String time, BadRecords bad) {
        this(weight, time, bad, TableOptions.usual(), Decimals.none());
    }

    /** Only the key is read. */
    public static Fields none() {
        return new Fields(null, null, BadRecords.refused(""));
    }

    boolean any() {
        return weight != null || time != null;
    }

    /** Puts both into the entry; false if one of them is bad and the record is left out. */
    boolean fill(Entry entry, @Nullable String weightText, @Nullable String timeText) {
        if (weight != null) {
            byte[] digits =
                    weightText == null ? new byte[0] : weightText.strip().getBytes(StandardCharsets.UTF_8);
            long value = decimals.parse(digits, 0, digits.length);
            if (value == Numbers.NONE) {
                return isBad(entry, weight, weightText, weightText == null ? "" : decimals.problem(weightText));
            }
            entry.weight(value);
        }
        if (time != null) {
            long millis = timeText == null ? Times.NONE : Times.parse(timeText.strip());
            if (millis == Times.NONE) {
                return isBad(
                        entry, time, timeText, "is not a time, such as 2026-05-17T08:30:00Z or seconds since 1970");
            }
            entry.timeMillis(millis);
        }
        return true;
    }

    private boolean isBad(Entry entry, String field, @Nullable String text, String why) {
        bad.take(entry.where() + ": "
                + (text == null
                        ? "it has no field '" + field + "'"
                        : "'" + text + "' in field '" + field + "' " + why));
        return false;
    }
}
