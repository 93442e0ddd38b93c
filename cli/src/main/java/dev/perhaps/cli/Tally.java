package dev.perhaps.cli;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Entry;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.io.Figures;
import dev.perhaps.io.Sketch;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A sketch that counts, and how records are counted into it. */
final class Tally {
    private final CountMin<?> counts;

    private Tally(CountMin<?> counts) {
        this.counts = counts;
    }

    static Tally of(CountMin<?> counts) {
        return new Tally(counts);
    }

    static Tally open(Path file) throws IOException {
        return of(file, Perhaps.open(file));
    }

    static Tally of(Path file, Sketch sketch) {
        if (sketch instanceof CountMin<?> counts) {
            return new Tally(counts);
        }
        throw new BadInput(file + ": it holds a " + sketch.kind() + ", which counts nothing");
    }

    Sketch sketch() {
        return counts;
    }

    CountMin<?> counts() {
        return counts;
    }

    /** How keys stand in an input that is counted into this. */
    KeyForm form(Reading reading, Path file, @Nullable String weight) {
        return reading.formFor(file, counts.key(), weight);
    }

    void add(Entry entry) {
        try {
            for (int i = 0; i < entry.hashCount(); i++) {
                add(entry.hashes()[i], entry.weight());
            }
        } catch (IllegalArgumentException e) {
            throw new BadInput(entry.where() + ": " + e.getMessage());
        }
    }

    private void add(long hash, long weight) {
        if (weight >= 0) {
            counts.addHash(hash, weight);
            return;
        }
        if (!(counts instanceof CountMin.Turnstile<?> turnstile)) {
            throw new IllegalArgumentException("a count must be 0 or more, got " + weight
                    + ": only a sketch built with --turnstile can take back");
        }
        if (!turnstile.removeHash(hash, -weight)) {
            throw new IllegalArgumentException(
                    "it takes back " + Figures.count(-weight) + ", and there are fewer: it was never counted so often");
        }
    }

    @SuppressWarnings("unchecked") // what does not fit is refused
    void merge(Tally other) {
        ((CountMin<Object>) counts).merge((CountMin<Object>) other.counts);
    }

    /** Says what was written, and what there is to know of it. */
    void tell(Path file) {
        if (counts.saturated() > 0) {
            Console.warn(Figures.count(counts.saturated()) + " counters are at their limit of "
                    + Figures.count(counts.limit()) + ", and tell no more: build with more --cells");
        }
        Console.say("wrote " + file + ": " + Figures.count(counts.total()) + " in total, "
                + Figures.bytes(counts.fileBytes()) + "; a count is at most "
                + Figures.count((long) Math.ceil(counts.bound().error())) + " too high, with "
                + Figures.percent(counts.bound().confidence()) + " confidence");
    }
}
