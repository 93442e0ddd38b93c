package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.engine.ActiveEngine;
import dev.perhaps.cli.engine.Engine;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.cli.input.Decimals;
import dev.perhaps.cli.input.Entry;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.input.Numbers;
import dev.perhaps.cli.input.Units;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.RecordOptions;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.frequency.Bound;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A sketch that counts, of keys or of numbers, and how records are counted into it. */
abstract class Tally {
    /** The units of what was counted so far, as the file says. */
    private final Units units;

    private Decimals decimals = Decimals.none();
    /** The field that says how much a record counts; null if each counts once. */
    private @Nullable String amountField;

    Tally(Units units) {
        this.units = units;
    }

    static Tally open(SketchFile file) throws IOException {
        return of(file, file.open());
    }

    static Tally of(SketchFile file, Sketch sketch) {
        if (sketch instanceof CountMin<?> || sketch instanceof RangeCounts) {
            return of(sketch);
        }
        String found = sketch.kind() + (sketch instanceof HashFilter<?> ? " filter" : " sketch");
        throw new BadInput(file + ": it holds a " + found + ", not a counting sketch");
    }

    private static Tally of(Sketch sketch) {
        return sketch instanceof RangeCounts ranges ? new NumberTally(ranges) : new KeyTally((CountMin<?>) sketch);
    }

    Units units() {
        return units;
    }

    /** How numbers are read from now on, and which field says how much a record counts, if any does. */
    void reads(Decimals found, @Nullable String amounts) {
        this.decimals = found;
        this.amountField = amounts;
    }

    Decimals decimals() {
        return decimals;
    }

    /** How much a record counts, in the units of the sketch. */
    long amount(Entry entry) {
        return amountField != null ? entry.weight() : Numbers.powerOfTen(units.amounts());
    }

    abstract Sketch sketch();

    abstract long total();

    abstract Bound bound();

    /** Returns the format of keys in an input that is counted into this. */
    abstract KeyForm form(RecordOptions reading, SketchFile file, @Nullable String weight, Decimals found);

    /** Counts one record; a refused record is reported with its place in the input. */
    abstract void add(Entry entry, BadRecords bad);

    /** Counts all records of all inputs, with progress. */
    void addAll(List<Input> inputs, KeyForm form, RecordOptions reading) throws IOException {
        Engine engine = ActiveEngine.get();
        if (engine == null) {
            reading.each(inputs, form, "counting", entry -> add(entry, reading.badRecords()));
            return;
        }
        Decimals found = decimals;
        String amounts = amountField;
        reading.found(engine.fill("counting", reading.source(inputs, amounts, found), sketch(), (part, records) -> {
            Tally tally = of(part);
            tally.reads(found, amounts);
            records.read(entry -> tally.add(entry, records.bad()));
        }));
        reading.tellSkipped();
    }

    /** Returns true if every record counts 1, whatever else is in it. */
    boolean countsRecords() {
        return amountField == null && units.amounts() == 0;
    }

    /** Takes in what another counted, or names the first difference. */
    abstract void merge(Tally other);

    void requireSameUnits(Tally other) {
        if (!units.equals(other.units)) {
            throw new IllegalArgumentException("they count to different decimals, " + described(units) + " against "
                    + described(other.units) + ": build them with the same --decimals");
        }
    }

    private static String described(Units units) {
        return Math.max(units.numbers(), units.amounts()) + (units.amounts() == 0 ? "" : " of amounts");
    }

    /** Says what was written, and what there is to know of it. */
    void tell(Output file) {
        Console.say("wrote " + file + ": " + Console.spoken(total(), units.amounts()) + " in total, "
                + Figures.bytes(sketch().fileBytes()) + "; a count is at most "
                + Console.spoken((long) Math.ceil(bound().error()), units.amounts()) + " too high, "
                + confidence(bound()));
    }

    /** How sure a bound is, for people; what is nearly certain is not rounded to certainty. */
    static String confidence(Bound bound) {
        double confidence = bound.confidence();
        if (confidence == 1) {
            return "for certain";
        }
        return "with " + (confidence > 0.999 ? "more than 99.9 %" : Figures.percent(confidence)) + " confidence";
    }

    /** The least that a count can be, if it keeps to the bound. */
    static long least(long estimate, Bound bound) {
        return (long) Math.max(0, Math.ceil(estimate - bound.error()));
    }

    /** A count that is printed: from at least to at most. */
    String text(long least, long estimate) {
        int places = units.amounts();
        return least < estimate ? Console.range(least, estimate, places) : Console.count(estimate, places);
    }

    static NumberTally ranges(SketchFile file) throws IOException {
        if (open(file) instanceof NumberTally numbers) {
            return numbers;
        }
        throw new BadInput(file + " counts keys, not numbers: range queries need a sketch built with --ranges");
    }
}
