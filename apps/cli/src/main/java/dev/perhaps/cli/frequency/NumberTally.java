package dev.perhaps.cli.frequency;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.cli.input.Decimals;
import dev.perhaps.cli.input.Entry;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.input.Numbers;
import dev.perhaps.cli.input.Units;
import dev.perhaps.cli.options.RecordOptions;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.frequency.Bound;
import dev.perhaps.frequency.RangeCounts;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Counts numbers, for ranges and quantiles; an IPv4 address is a number too. */
final class NumberTally extends Tally {
    /** Without an exponent, which could be a number of a thousand million digits. */
    private static final Pattern DECIMAL = Pattern.compile("[-+]?[0-9]{1,40}(\\.[0-9]{1,40})?");

    private final RangeCounts ranges;

    NumberTally(RangeCounts ranges) {
        super(Units.of(ranges.key().name()));
        this.ranges = ranges;
    }

    @Override
    RangeCounts sketch() {
        return ranges;
    }

    @Override
    long total() {
        return ranges.total();
    }

    @Override
    Bound bound() {
        return ranges.bound();
    }

    @Override
    KeyForm form(RecordOptions reading, SketchFile file, @Nullable String weight, Decimals found) {
        return numbersIn(reading.form(weight, null, found));
    }

    /** A form whose keys are text, of which a number can be made. */
    static KeyForm numbersIn(KeyForm form) {
        if (!form.keepsKeys()) {
            throw new BadInput("keys of the form '" + form.key().name() + "' are not numbers: use lines, csv:COLUMN,"
                    + " jsonl:FIELD or word:N");
        }
        return form;
    }

    @Override
    void add(Entry entry, BadRecords bad) {
        long value = decimals().parseOrAddress(entry.keyBytes(), entry.keyFrom(), entry.keyTo());
        if (value == Numbers.NONE) {
            String text = new String(
                    entry.keyBytes(), entry.keyFrom(), entry.keyTo() - entry.keyFrom(), StandardCharsets.UTF_8);
            bad.take(entry.where() + ": '" + text + "' " + decimals().problem(text));
            return;
        }
        try {
            ranges.add(value, amount(entry));
        } catch (IllegalArgumentException e) {
            boolean isOutside = value < ranges.least() || value > ranges.greatest();
            bad.take(entry.where() + ": "
                    + (isOutside
                            ? number(value) + " is not from " + number(ranges.least()) + " to "
                                    + number(ranges.greatest()) + ", for which this was planned: build with a larger"
                                    + " --universe"
                            : e.getMessage()));
        }
    }

    @Override
    void merge(Tally other) {
        if (!(other instanceof NumberTally numbers)) {
            throw new IllegalArgumentException("counts of numbers do not merge with counts of keys");
        }
        requireSameUnits(other);
        ranges.merge(numbers.ranges);
    }

    private String number(long value) {
        return BigDecimal.valueOf(value, units().numbers()).toPlainString();
    }

    /** A number as it is given on the command line. */
    static BigDecimal parse(String name, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        long value = Decimals.none().parseOrAddress(bytes, 0, bytes.length);
        if (value != Numbers.NONE) {
            return BigDecimal.valueOf(value);
        }
        if (!DECIMAL.matcher(text).matches()) {
            throw new BadInput(name + " must be a number or an IPv4 address, got '" + text + "'");
        }
        return new BigDecimal(text);
    }
}
