package dev.perhaps.membership;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.MappedLongs;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Addable;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;

/**
 * A filter of this library: it takes one 64-bit hash per value, never answers "no" for what it holds, and states its
 * current error. What more it can do is said by the interfaces inside; code that holds only one of them works with every
 * kind that has it.
 */
public interface HashFilter<T> extends Filter<T>, Sketch {
    Key<T> key();

    /** The salt of its own mix, as planned (default: 0); see {@link FilterPlan#salt}. */
    int salt();

    boolean mightContainHash(long hash);

    /** The chance that a value which was never added is answered "perhaps", as filled as the filter is now. */
    double errorNow();

    /** How many items it holds: exact where fingerprints are kept, estimated from the bits in Bloom filters. */
    long itemsNow();

    /** True if {@link #itemsNow} is estimated from the bits, false if items were counted. */
    default boolean isItemsEstimated() {
        return false;
    }

    /** The share of its bits, slots or counters that are in use. */
    double load();

    /** What it was planned for. */
    Sizing sizing();

    /** A filter that answers the same and shares nothing that can change. */
    HashFilter<T> copy();

    @Override
    default boolean mightContain(T value) {
        return mightContainHash(key().hash(value));
    }

    /**
     * Asks for the hashes of {@code [from, to)} at once: bit i of {@code answerBits} becomes the answer for
     * {@code hashes[from + i]}.
     *
     * @return how many answers are "perhaps"
     */
    default int mightContainHashes(long[] hashes, int from, int to, long[] answerBits) {
        checkBatch(hashes, from, to, answerBits);
        int found = 0;
        for (int i = from; i < to; i++) {
            if (mightContainHash(hashes[i])) {
                answerBits[(i - from) >>> 6] |= 1L << (i - from);
                found++;
            }
        }
        return found;
    }

    /** Checks a batch's bounds and clears its answers. */
    static void checkBatch(long[] hashes, int from, int to, long[] answerBits) {
        Objects.checkFromToIndex(from, to, hashes.length);
        int words = (to - from + 63) >>> 6;
        if (words > answerBits.length) {
            throw new IllegalArgumentException(
                    (to - from) + " answers need " + words + " words, got " + answerBits.length);
        }
        Arrays.fill(answerBits, 0, words, 0);
    }

    @Override
    default Description describe() {
        Sizing planned = sizing();
        return Description.of(kind())
                .text("key", key().name())
                .text("seed", Long.toString(key().seed()))
                .text("salt", Integer.toString(salt()))
                .count("itemsPlanned", planned.items())
                .share("errorPlanned", planned.error())
                .count("itemsNow", itemsNow(), isItemsEstimated())
                .share("errorNow", errorNow())
                .share("load", load())
                .flag("overfilled", overfilled())
                .number("bitsPerItem", planned.bitsPerItem(), "bits")
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", fileBytes());
    }

    /** True if it holds clearly more than it was planned for, so that its error is above the plan. */
    default boolean overfilled() {
        return sizing().isExceededBy(itemsNow());
    }

    /** A filter that can be added to. */
    interface Adds<T> extends HashFilter<T>, Addable<T> {
        Added addHash(long hash);

        default Added add(T value) {
            return addHash(key().hash(value));
        }

        @Override
        default boolean offer(T value) {
            return add(value) != Added.FULL;
        }

        /**
         * Adds the hashes of {@code [from, to)} and stops at the first that is refused.
         *
         * @return how many were taken: less than {@code to - from} only if the filter is full
         */
        default int addHashes(long[] hashes, int from, int to) {
            Objects.checkFromToIndex(from, to, hashes.length);
            for (int i = from; i < to; i++) {
                if (addHash(hashes[i]) == Added.FULL) {
                    return i - from;
                }
            }
            return to - from;
        }

        @Override
        Adds<T> copy();
    }

    /** A filter that can forget one occurrence of what was added. */
    interface Removes<T> extends Adds<T> {
        /**
         * Forgets one occurrence. Remove only what was added: a value that was not, but is answered "perhaps", takes
         * another one with it.
         *
         * @return false, with nothing changed, if it is certain that the value is not there
         */
        boolean removeHash(long hash);

        default boolean remove(T value) {
            return removeHash(key().hash(value));
        }

        @Override
        Removes<T> copy();
    }

    /**
     * A filter that knows how often a value is there: never too low (the most that a kind can tell means "at least"), and
     * too high no more often than its error.
     */
    interface Counts<T> extends Adds<T> {
        long countHash(long hash);

        default long count(T value) {
            return countHash(key().hash(value));
        }
    }

    /** A filter that can double its room without the keys. */
    interface Grows<T> extends Adds<T> {
        /** Doubles the room; false, with nothing changed, if no spare bit is left. */
        boolean grow();
    }

    /**
     * A filter read straight from its file, of any size, touching only the pages that a lookup needs; read-only, safe for any
     * number of threads. Opening checks header and length; {@link #verify} reads everything once and checks that too. On the
     * heap ({@code open}) lookups are faster.
     */
    abstract class Mapped<T> implements HashFilter<T> {
        final MappedLongs words;

        private final Frame frame;
        private final Key<T> key;
        private final Sizing sizing;

        Mapped(Frame frame, Key<T> key, MappedLongs words, Sizing sizing) {
            this.frame = frame;
            this.key = key;
            this.words = words;
            this.sizing = sizing;
        }

        /**
         * Reads the whole file and holds it against its checksum.
         *
         * @throws dev.perhaps.sketch.FormatException if it is damaged
         */
        public void verify() throws IOException {
            words.verify();
        }

        @Override
        public final Kind kind() {
            return frame.kind();
        }

        @Override
        public final Key<T> key() {
            return key;
        }

        @Override
        public final int salt() {
            return frame.salt();
        }

        @Override
        public final Sizing sizing() {
            return sizing;
        }

        /** The mapped bytes: they are the page cache's, not the heap's. */
        @Override
        public final long sizeBytes() {
            return words.length() * Long.BYTES;
        }

        @Override
        public final long fileBytes() {
            return frame.fileBytes();
        }

        /** Itself: nothing here can change. */
        @Override
        public final HashFilter<T> copy() {
            return this;
        }

        @Override
        public final void writeTo(OutputStream out) throws IOException {
            frame.write(out, words::writeTo);
        }

        final long setBits() {
            long set = 0;
            for (long i = 0; i < words.length(); i++) {
                set += Long.bitCount(words.get(i));
            }
            return set;
        }

        @Override
        public final String toString() {
            return sizing + ", mapped";
        }
    }
}
