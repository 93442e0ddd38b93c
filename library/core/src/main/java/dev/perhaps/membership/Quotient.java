package dev.perhaps.membership;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.membership.quotient.QuotientCheck;
import dev.perhaps.membership.quotient.QuotientCursor;
import dev.perhaps.membership.quotient.QuotientRequest;
import dev.perhaps.membership.quotient.QuotientTable;
import dev.perhaps.membership.quotient.QuotientWeaver;
import dev.perhaps.membership.request.FilterRequest;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.PrimitiveIterator;

/**
 * What the two quotient filters share: the table, growing and shrinking it, and the file. {@link QuotientFilter} keeps
 * every copy of a fingerprint and can remove, {@link QuotientSet} keeps each once and cannot.
 */
abstract class Quotient<T> extends AbstractSketch implements HashFilter.Grows<T> {
    private static final long MIX = 0xE7037ED1A0B428DBL;

    // Modes in the file.
    private static final int EVERY_COPY = 0;
    private static final int EACH_ONCE = 1;

    /** Hashes of a batch whose slots are touched before the first of them is searched. */
    private static final int BATCH = 32;

    private final Key<T> key;
    private final int salt;
    private final long mix;
    private final boolean everyCopy;
    private Sizing sizing;
    private int spareBits;
    private QuotientTable table;

    @SuppressWarnings("UnusedVariable") // see addHashes: it is written so that what it was read from is read
    private long touched;

    Quotient(Key<T> key, int salt, boolean everyCopy, Sizing sizing, int spareBits, QuotientTable table) {
        this.key = key;
        this.salt = salt;
        this.mix = Mix.salted(MIX, salt);
        this.everyCopy = everyCopy;
        this.sizing = sizing;
        this.spareBits = spareBits;
        this.table = table;
    }

    @Override
    public final Kind kind() {
        return Kind.QUOTIENT;
    }

    @Override
    public final Key<T> key() {
        return key;
    }

    @Override
    public final int salt() {
        return salt;
    }

    /** {@inheritDoc} Growing doubles the planned items, shrinking halves them. */
    @Override
    public final Sizing sizing() {
        return sizing;
    }

    /** Returns the number of slots, of which 90 % can be in use. */
    public final long slots() {
        return table.slots;
    }

    /** Returns how many more items fit before it is full. */
    public final long room() {
        return table.limit - table.used();
    }

    /** Returns the number of bits of a fingerprint that are stored in its slot. */
    public final int remainderBits() {
        return table.remainderBits;
    }

    /** Returns how often {@link #grow} can still double the slots. */
    public final int spareBits() {
        return spareBits;
    }

    /** Returns the bound below which all fingerprints are; it does not change when the filter grows or shrinks. */
    public final long range() {
        return table.range;
    }

    /** Returns the fingerprint of a hash: all that the filter stores of a value. */
    public final long fingerprint(long hash) {
        return Mix.reduce(Mix.with(mix, hash), table.range);
    }

    /**
     * Returns all fingerprints in ascending order, each as often as it is stored. The filter must not change during the
     * iteration.
     */
    public final PrimitiveIterator.OfLong fingerprints() {
        return new QuotientCursor(table);
    }

    /** Returns the number of distinct fingerprints. */
    public final long distinctFingerprints() {
        return table.distinct();
    }

    final QuotientTable table() {
        return table;
    }

    @CanIgnoreReturnValue
    @Override
    public final Added addHash(long hash) {
        return table.add(fingerprint(hash), everyCopy);
    }

    /** {@inheritDoc} A filter that has grown keeps its size. */
    @Override
    public final void clear() {
        table = new QuotientTable(table.range, table.remainderBits);
    }

    @Override
    public final boolean mightContainHash(long hash) {
        return table.contains(fingerprint(hash));
    }

    @CanIgnoreReturnValue
    @Override
    public final int addHashes(long[] hashes, int from, int to) {
        Objects.checkFromToIndex(from, to, hashes.length);
        for (int at = from; at < to; at += BATCH) {
            int end = Math.min(to, at + BATCH);
            // All cache lines are requested before the first is used, so that their latencies overlap. The sum is
            // written to a field, or the compiler would remove the loads.
            long sum = 0;
            for (int i = at; i < end; i++) {
                int word = table.wordOf(fingerprint(hashes[i]));
                sum += table.words[word] + table.words[word + table.remainderBits];
            }
            touched = sum;
            for (int i = at; i < end; i++) {
                if (addHash(hashes[i]) == Added.FULL) {
                    return i - from;
                }
            }
        }
        return to - from;
    }

    @Override
    public final int mightContainHashes(long[] hashes, int from, int to, long[] answerBits) {
        HashBatch.begin(hashes, from, to, answerBits);
        int found = 0;
        for (int at = from; at < to; at += BATCH) {
            int end = Math.min(to, at + BATCH);
            // An item whose quotient is not occupied is absent: checked for all of them first, without a branch.
            int alive = 0;
            for (int i = at; i < end; i++) {
                long fingerprint = fingerprint(hashes[i]);
                long occupied = table.words[table.wordOf(fingerprint)] >>> (fingerprint >>> table.remainderBits);
                alive |= (int) (occupied & 1) << i - at;
            }
            long answers = 0;
            for (; alive != 0; alive &= alive - 1) {
                int i = Integer.numberOfTrailingZeros(alive);
                answers |= (mightContainHash(hashes[at + i]) ? 1L : 0L) << i;
            }
            answerBits[at - from >>> 6] |= answers << at - from;
            found += Long.bitCount(answers);
        }
        return found;
    }

    /** {@inheritDoc} The share of slots in use. */
    @Override
    public final double load() {
        return (double) table.used() / table.slots;
    }

    /** {@inheritDoc} Exact for the current fingerprints: their share of all possible ones. */
    @Override
    public final double errorNow() {
        return (double) table.distinct() / table.range;
    }

    /** {@inheritDoc} The number of stored fingerprints. */
    @Override
    public final long itemsNow() {
        return table.used();
    }

    /**
     * {@inheritDoc} Moves one bit of every remainder to its quotient. The fingerprints stay the same, and so does the
     * error until more are added; old and new slots are in memory at once.
     */
    @Override
    public final boolean grow() {
        int bits = table.remainderBits - 1;
        if (spareBits == 0 || QuotientTable.wordsFor(table.range, bits) > QuotientTable.MAX_WORDS) {
            return false;
        }
        spareBits--;
        resize(bits, List.of(table));
        return true;
    }

    /** Returns the memory in bytes that the slots take after {@link #grow}, or 0 if it cannot grow. */
    public final long grownBytes() {
        long words = QuotientTable.wordsFor(table.range, table.remainderBits - 1);
        return spareBits == 0 || words > QuotientTable.MAX_WORDS ? 0 : words * Long.BYTES;
    }

    /** Halves the slots and gains a spare bit; returns false, with nothing changed, if the content would not fit. */
    public final boolean shrink() {
        int bits = table.remainderBits + 1;
        if (bits > QuotientTable.MAX_REMAINDER_BITS
                || table.used() > QuotientTable.limitFor(QuotientTable.slotsFor(table.range, bits))) {
            return false;
        }
        spareBits++;
        resize(bits, List.of(table));
        return true;
    }

    private void resize(int bits, List<QuotientTable> from) {
        long items = bits > table.remainderBits
                ? sizing.items() + 1 >>> bits - table.remainderBits
                : sizing.items() << table.remainderBits - bits;
        QuotientTable resized = new QuotientTable(table.range, bits);
        QuotientWeaver.weave(resized, from, !everyCopy);
        table = resized;
        sizing = QuotientRequest.sizing(items, table.range, bits);
    }

    /** The memory of the slots after {@link #mergeAny} of filters that fit. */
    final long mergedBytesOfAny(List<? extends Quotient<T>> others) {
        return QuotientTable.wordsFor(table.range, bitsFor(tables(others))) * Long.BYTES;
    }

    /** Takes all of them in at once, growing as often as it must. */
    final void mergeAny(List<? extends Quotient<T>> others) {
        String difference = difference(others);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these quotient filters do not fit: " + difference);
        }
        List<QuotientTable> all = tables(others);
        int bits = bitsFor(all);
        spareBits = Math.max(0, spareBits - (table.remainderBits - bits));
        resize(bits, all);
    }

    /** The first reason why these cannot be merged into this one, or an empty string. */
    final String difference(List<? extends Quotient<T>> others) {
        for (Quotient<T> other : others) {
            if (!key.fits(other.key)) {
                return key.against(other.key);
            }
            if (salt != other.salt) {
                return FilterRequest.salts(salt, other.salt);
            }
            if (table.range != other.table.range) {
                return "fingerprints below " + table.range + " against " + other.table.range;
            }
        }
        List<QuotientTable> all = tables(others);
        int bits = bitsFor(all);
        if (bits < 1 || QuotientTable.wordsFor(table.range, bits) > QuotientTable.MAX_WORDS) {
            return Figures.count(fingerprints(all))
                    + " fingerprints together, more than one filter of this range holds";
        }
        return "";
    }

    private List<QuotientTable> tables(List<? extends Quotient<T>> others) {
        List<QuotientTable> all = new ArrayList<>();
        all.add(table);
        for (Quotient<T> other : others) {
            all.add(other.table);
        }
        return all;
    }

    /** The bits of remainder, no more than there are now, at which all of them find room; 0 if there are none. */
    private int bitsFor(List<QuotientTable> all) {
        long together = fingerprints(all);
        int bits = table.remainderBits;
        while (bits > 0 && QuotientTable.limitFor(QuotientTable.slotsFor(table.range, bits)) < together) {
            bits--;
        }
        return bits;
    }

    /** How many fingerprints these make together. What sets have in common is counted only if it matters. */
    private long fingerprints(List<QuotientTable> all) {
        long together = 0;
        for (QuotientTable each : all) {
            together += each.used();
        }
        return everyCopy || together <= table.limit ? together : QuotientWeaver.countOnce(all);
    }

    @Override
    public final long sizeBytes() {
        return table.words.length * (long) Long.BYTES;
    }

    @Override
    public final long fileBytes() {
        return frame().fileBytes();
    }

    @Override
    public final Description describe() {
        return HashFilter.Grows.super
                .describe()
                .count("slots", table.slots)
                .count("remainderBits", table.remainderBits)
                .count("spareBits", spareBits)
                .count("distinctFingerprints", table.distinct())
                .flag("everyCopy", everyCopy);
    }

    // Parameters in the file (docs/format.md): range, remainder bits, spare bits, mode, slots in use, different
    // fingerprints, items planned, error planned. Payload: the words.
    private Frame frame() {
        return Frame.of(
                        Kind.QUOTIENT,
                        key,
                        sizeBytes(),
                        table.range,
                        table.remainderBits,
                        spareBits,
                        everyCopy ? EVERY_COPY : EACH_ONCE,
                        table.used(),
                        table.distinct(),
                        sizing.items(),
                        Double.doubleToRawLongBits(sizing.error()))
                .salted(salt);
    }

    @Override
    public final void writeTo(OutputStream out) throws IOException {
        frame().write(out, payload -> payload.longs(table.words));
    }

    static <T> Quotient<T> readEither(FrameReader in, Key<T> key) throws IOException {
        Frame frame = in.frame(Kind.QUOTIENT, key);
        long range = frame.parameter(0);
        long bits = frame.parameter(1);
        long spare = frame.parameter(2);
        long mode = frame.parameter(3);
        long used = frame.parameter(4);
        long distinct = frame.parameter(5);
        long items = frame.parameter(6);
        double error = frame.parameterAsDouble(7);
        frame.require(range > 0 && range <= QuotientTable.MAX_RANGE, "a range of", range);
        frame.require(bits > 0 && bits <= QuotientTable.MAX_REMAINDER_BITS, "remainder bits", bits);
        frame.require(spare >= 0 && spare < bits, "spare bits", spare);
        frame.require(mode == EVERY_COPY || mode == EACH_ONCE, "mode", mode);
        frame.require(items > 0 && items <= range, "planned items", items);
        frame.require(error > 0 && error <= 1, "planned error", error);
        long words = QuotientTable.wordsFor(range, (int) bits);
        frame.require(words * Long.BYTES == frame.payloadBytes(), "a payload of", frame.payloadBytes());
        long[] payload = in.longs(words);
        in.end();
        QuotientTable table = new QuotientTable(range, (int) bits, payload, used, distinct);
        boolean everyCopy = mode == EVERY_COPY;
        String flaw = QuotientCheck.flaw(table, everyCopy);
        if (!flaw.isEmpty()) {
            throw new FormatException("a quotient file cannot have " + flaw + ": it is damaged");
        }
        Sizing sizing = new Sizing(Kind.QUOTIENT, items, error, frame.payloadBytes(), 0);
        return everyCopy
                ? new QuotientFilter<>(key, frame.salt(), sizing, (int) spare, table)
                : new QuotientSet<>(key, frame.salt(), sizing, (int) spare, table);
    }

    @Override
    public final String toString() {
        return sizing + ", " + Figures.percent(load()) + " of the slots in use, error now "
                + Figures.percent(errorNow());
    }
}
