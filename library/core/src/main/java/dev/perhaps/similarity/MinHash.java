package dev.perhaps.similarity;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Kind;
import java.util.Arrays;
import java.util.Objects;

/**
 * Estimates the Jaccard similarity |A ∩ B| / |A ∪ B| of two sets from their signatures, too high or too low, with a
 * standard error of at most √(J(1 − J)/k): ± 3.5 percentage points at J = 0.8 for k = 128. Signing n items takes O(n +
 * k log k) steps, comparing k; a signature has 8k bytes. The signature of a union can be computed from the signatures
 * of its parts. Immutable and thread-safe.
 *
 * <pre>{@code
 * MinHash<String> minHash = MinHash.of(128);
 * Signature monday = minHash.sign(Set.of("bread", "milk", "eggs"));
 * Signature tuesday = minHash.sign(Set.of("bread", "milk", "tea"));
 * double about = minHash.jaccard(monday, tuesday);
 * }</pre>
 *
 * Smaller signatures, without union: {@link #bits}. For texts, use {@link Shingles} first.
 */
public final class MinHash<T> extends Family {
    /*
     * Fast Similarity Sketching [2], the default. Round 0 throws every item into one of k bins, and each bin keeps the
     * least value thrown into it: one multiplication per item. If bins are left empty, round 1 throws all items again,
     * by another function, and so on; a value is preceded by its round, so a later round never beats an earlier one:
     *
     *     component   | 0 | round (15 bits) | 48 bits of the item's hash in that round |      least wins
     *
     * During round 0 a bin holds the item's mixed hash x whole, compared as it is, and an empty one Long.MAX_VALUE: a
     * load and a comparison per item. The bin is taken from the low half of x, the 48 bits are its highest.
     *
     * Rounds k … 2k − 1 throw every item into bin (round − k), so that no bin stays empty. Sets of more than k ln k
     * items take one round, smaller ones about k ln k throws in all. The component of a bin depends on the set only by
     * the least (round, value) over all 2k rounds; stopping early leaves out none that could win. Hence the union: the
     * lesser of both, component by component, is exactly the signature of A ∪ B.
     *
     * Each component is equal with chance J. Components are not independent: a round deals items out without
     * replacement, so the error is smaller than that of k independent functions, by up to 30 % for sets of fewer than k
     * items. docs/decisions/minhash.md has the measurements against one-permutation hashing, recall with bands
     * included.
     *
     * Classic. k linear permutations π_i(x) = a_i·x + b_i mod 2^61 − 1, and the least π_i of all items, as in [1] and
     * the lectures: k multiplications per item. It is the oracle of the tests.
     *
     * A set without items has Long.MAX_VALUE in every component: it equals itself, its union with any set is that set,
     * and it is similar to nothing else.
     *
     * [1] Broder, "On the resemblance and containment of documents" (1997). [2] Dahlgaard, Knudsen and Thorup, "Fast
     * similarity sketching" (2017).
     *
     * Left out: weights (a multiset is signed as its set), and containment, which Jaccard does not tell.
     */
    static final long EMPTY = Long.MAX_VALUE;
    /** The scheme of {@link #of(int)}: Fast Similarity Sketching. */
    public static final int FAST = 0;
    /** The scheme of {@link #classic}: one linear permutation per component. */
    public static final int CLASSIC = 1;

    private static final long MIX = 0xD07EE67595D35311L;
    private static final long GAMMA = 0x9E3779B97F4A7C15L;
    private static final int VALUE_BITS = 48;
    private static final long VALUE = (1L << VALUE_BITS) - 1;
    private static final int FIRST = 1 << 10;
    private static final long LOW_HALF = 0xFFFFFFFFL;

    private final Key<T> key;
    private final long[] factors;
    private final long[] offsets;

    private MinHash(int scheme, int components, Key<T> key) {
        super(Kind.MINHASH, scheme, components, FULL_BITS, key);
        this.key = key;
        this.factors = new long[scheme == CLASSIC ? components : 0];
        this.offsets = new long[factors.length];
        for (int i = 0; i < factors.length; i++) {
            factors[i] = 1 + Mix.reduce(Mix.finish((2 * i + 1) * GAMMA), LinearPermutation.MODULUS - 1);
            offsets[i] = Mix.reduce(Mix.finish((2 * i + 2) * GAMMA), LinearPermutation.MODULUS);
        }
    }

    /** Returns the family with this number of components, by Fast Similarity Sketching. */
    public static MinHash<String> of(int components) {
        return new MinHash<>(FAST, checkedComponents(components), Key.strings());
    }

    /**
     * Returns the family with this number of linear permutations, as in the lectures; signing takes k times the work.
     */
    public static MinHash<String> classic(int components) {
        return new MinHash<>(CLASSIC, checkedComponents(components), Key.strings());
    }

    /** Returns the family with this scheme, {@link #FAST} or {@link #CLASSIC}, number of components and key. */
    public static <T> MinHash<T> of(int scheme, int components, Key<T> key) {
        return new MinHash<>(scheme, checkedComponents(components), key);
    }

    /** Returns true if components are linear permutations, false if Fast Similarity Sketching is used. */
    public boolean isClassic() {
        return scheme() == CLASSIC;
    }

    /** Returns the same family for sets of values of this key (default: strings). */
    public <U> MinHash<U> of(Key<U> other) {
        return new MinHash<>(scheme(), components(), Objects.requireNonNull(other, "key must not be null"));
    }

    @Override
    public Key<T> key() {
        return key;
    }

    /** Returns the signature of a set; a repeated item counts once. */
    public Signature sign(Iterable<? extends T> set) {
        long[] hashes = new long[16];
        int count = 0;
        for (T item : set) {
            if (count == hashes.length) {
                hashes = Arrays.copyOf(hashes, 2 * count);
            }
            hashes[count++] = key.hash(item);
        }
        return sign(hashes, 0, count);
    }

    /** Returns the signature of the set of hashes in {@code [from, to)}, which are hashes of this key. */
    public Signature sign(long[] hashes, int from, int to) {
        long[] signature = new long[components()];
        sign(hashes, from, to, signature);
        return new Signature(this, signature);
    }

    /**
     * Writes the signature of {@link #sign(long[], int, int)} into an array with one element per component; nothing is
     * allocated.
     */
    public void sign(long[] hashes, int from, int to, long[] into) {
        Objects.checkFromToIndex(from, to, hashes.length);
        checkRoom(into);
        Arrays.fill(into, EMPTY);
        int first = to - from > FIRST ? from + FIRST : to;
        take(hashes, from, first, into, true);
        take(hashes, first, to, into, false);
        int empty = to == from ? 0 : settle(into);
        if (empty > 0) {
            throwAgain(hashes, from, to, into, empty);
        }
    }

    void checkRoom(long[] into) {
        if (into.length != components()) {
            throw new IllegalArgumentException("into must have " + components() + " places, got " + into.length);
        }
    }

    /**
     * Takes hashes into the least ones so far: a part of a set, before {@link #settle}.
     *
     * @param isFirst of the first hashes of a set many are less than what their bin holds
     */
    void take(long[] hashes, int from, int to, long[] least, boolean isFirst) {
        if (scheme() == CLASSIC) {
            permute(hashes, from, to, factors, offsets, least);
        } else if (!throwsByShift()) {
            throwByProduct(hashes, from, to, least);
        } else if (isFirst) {
            throwFirst(hashes, from, to, binShift(), least);
        } else {
            throwByShift(hashes, from, to, binShift(), least);
        }
    }

    /**
     * Ends round 0 of a set that is not empty. Returns the number of bins without a value; {@link #throwAgain} fills
     * them.
     */
    int settle(long[] least) {
        int empty = 0;
        if (scheme() == FAST) {
            for (int bin = 0; bin < least.length; bin++) {
                boolean isEmpty = least[bin] == EMPTY;
                empty += isEmpty ? 1 : 0;
                least[bin] = isEmpty ? EMPTY : (least[bin] ^ Long.MIN_VALUE) >>> Long.SIZE - VALUE_BITS;
            }
        }
        return empty;
    }

    /** True if {@link #binShift} tells the bin. */
    boolean throwsByShift() {
        return scheme() == FAST && components() > 1 && Integer.bitCount(components()) == 1;
    }

    int binShift() {
        return Integer.SIZE - Integer.numberOfTrailingZeros(components());
    }

    /**
     * Throws one item into its bin, where their number is a power of two: the low half of x, reduced without a product.
     */
    static void throwOne(long hash, int binShift, long[] least) {
        long x = Mix.with(MIX, hash);
        int bin = (int) x >>> binShift;
        if (x < least[bin]) {
            least[bin] = x;
        }
    }

    private static void throwByShift(long[] hashes, int from, int to, int binShift, long[] least) {
        for (int i = from; i < to; i++) {
            throwOne(hashes[i], binShift, least);
        }
    }

    /** The same without a branch, which would be mispredicted often for the first items. */
    private static void throwFirst(long[] hashes, int from, int to, int binShift, long[] least) {
        for (int i = from; i < to; i++) {
            long x = Mix.with(MIX, hashes[i]);
            int bin = (int) x >>> binShift;
            least[bin] = Math.min(least[bin], x);
        }
    }

    private static void throwByProduct(long[] hashes, int from, int to, long[] least) {
        int bins = least.length;
        for (int i = from; i < to; i++) {
            long x = Mix.with(MIX, hashes[i]);
            int bin = (int) ((x & LOW_HALF) * bins >>> 32);
            if (x < least[bin]) {
                least[bin] = x;
            }
        }
    }

    /** Rounds from 1 on, until no bin is empty. */
    static void throwAgain(long[] hashes, int from, int to, long[] least, int empty) {
        int bins = least.length;
        for (int round = 1; round < bins && empty > 0; round++) {
            long prefix = (long) round << VALUE_BITS;
            for (int i = from; i < to; i++) {
                long x = Mix.finish(Mix.with(MIX, hashes[i]) + round * GAMMA);
                int bin = (int) ((x >>> 32) * bins >>> 32);
                long value = x & VALUE | prefix;
                long before = least[bin];
                if (value < before) {
                    least[bin] = value;
                    empty -= before == EMPTY ? 1 : 0;
                }
            }
        }
        for (int bin = 0; bin < bins && empty > 0; bin++) {
            if (least[bin] == EMPTY) {
                long round = (long) bins + bin;
                long value = VALUE;
                for (int i = from; i < to; i++) {
                    value = Math.min(value, Mix.finish(Mix.with(MIX, hashes[i]) + round * GAMMA) & VALUE);
                }
                least[bin] = value | round << VALUE_BITS;
                empty--;
            }
        }
    }

    private static void permute(long[] hashes, int from, int to, long[] factors, long[] offsets, long[] least) {
        for (int i = from; i < to; i++) {
            long x = LinearPermutation.reduce(Mix.with(MIX, hashes[i]));
            for (int j = 0; j < least.length; j++) {
                least[j] = Math.min(least[j], LinearPermutation.apply(factors[j], offsets[j], x));
            }
        }
    }

    /** Returns the estimated |A ∩ B| / |A ∪ B|. */
    public double jaccard(Signature a, Signature b) {
        return similarity(a, b);
    }

    /** Returns the exact signature of A ∪ B. */
    public Signature union(Signature a, Signature b) {
        check(a);
        check(b);
        long[] least = new long[components()];
        for (int i = 0; i < least.length; i++) {
            least[i] = Math.min(a.words()[i], b.words()[i]);
        }
        return new Signature(this, least);
    }

    /**
     * Returns the family whose signatures have this number of bits per component, 1, 2, 4, 8, 16 or 32: smaller, and
     * without union.
     */
    public BitMinHash<T> bits(int bits) {
        return new BitMinHash<>(this, bits);
    }

    @Override
    public String name() {
        return scheme() == CLASSIC ? "classic minhash" : "minhash";
    }

    @Override
    boolean possible(long[] words, int from) {
        boolean isEmpty = words[from] == EMPTY;
        long above = scheme() == CLASSIC ? LinearPermutation.MODULUS : 2L * components() << VALUE_BITS;
        for (int i = from; i < from + components(); i++) {
            boolean inRange = words[i] >= 0 && words[i] < above;
            if (isEmpty ? words[i] != EMPTY : !inRange) {
                return false;
            }
        }
        return true;
    }
}
