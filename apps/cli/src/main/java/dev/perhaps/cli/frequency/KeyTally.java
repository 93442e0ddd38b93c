package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.cli.input.Decimals;
import dev.perhaps.cli.input.Entry;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.input.Units;
import dev.perhaps.cli.options.InputHashes;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.RecordOptions;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.frequency.Bound;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.io.Figures;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts keys, by their hashes. */
final class KeyTally extends Tally {
    private final CountMin<?> counts;

    KeyTally(CountMin<?> counts) {
        super(Units.of(counts.key().name()));
        this.counts = counts;
    }

    @Override
    CountMin<?> sketch() {
        return counts;
    }

    @Override
    long total() {
        return counts.total();
    }

    @Override
    Bound bound() {
        return counts.bound();
    }

    @Override
    KeyForm form(RecordOptions reading, SketchFile file, @Nullable String weight, Decimals found) {
        return reading.formFor(file, counts.key(), weight, found);
    }

    @Override
    void add(Entry entry, BadRecords bad) {
        try {
            for (int i = 0; i < entry.hashCount(); i++) {
                add(entry.hashes()[i], amount(entry));
            }
        } catch (IllegalArgumentException e) {
            bad.take(entry.where() + ": " + e.getMessage());
        }
    }

    @Override
    void addAll(List<Input> inputs, KeyForm form, RecordOptions reading) throws IOException {
        if (!countsRecords()) {
            super.addAll(inputs, form, reading);
            return;
        }
        new InputHashes(inputs, form, reading, "counting").addTo(counts, CountMin::addHashes);
        reading.tellSkipped();
    }

    private void add(long hash, long weight) {
        if (weight >= 0) {
            counts.addHash(hash, weight);
            return;
        }
        if (!(counts instanceof CountMin.Turnstile<?> turnstile)) {
            throw new IllegalArgumentException("a count must be 0 or more, got "
                    + Console.spoken(weight, units().amounts())
                    + ": only a sketch built with --turnstile allows removal");
        }
        if (!turnstile.removeHash(hash, -weight)) {
            throw new IllegalArgumentException("it takes back " + Console.spoken(-weight, units().amounts())
                    + ", and there are fewer: it was not counted that often");
        }
    }

    @Override
    @SuppressWarnings("unchecked") // what does not fit is refused
    void merge(Tally other) {
        if (!(other instanceof KeyTally keys)) {
            throw new IllegalArgumentException("counts of keys do not merge with counts of numbers");
        }
        requireSameUnits(other);
        ((CountMin<Object>) counts).merge((CountMin<Object>) keys.counts);
    }

    @Override
    void tell(Output file) {
        if (counts.saturated() > 0) {
            Console.warn(Figures.count(counts.saturated()) + " counters have reached their limit of "
                    + Console.spoken(counts.limit(), units().amounts())
                    + ": larger counts are not known; build with more --cells");
        }
        super.tell(file);
    }
}
