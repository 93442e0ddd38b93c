package dev.perhaps.similarity;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import java.util.Arrays;
import java.util.Objects;

/**
 * Estimates the angle between two sets, and so their cosine |A ∩ B| / √(|A||B|), too high or too low, from one bit per
 * component: a share e = 1 − φ/π of the bits is equal, with the standard error √(e(1 − e)/k) and a bias of at most
 * 0.082/√n, where n is the size of the smaller set: 0.026 for ten items, 0.0026 for a thousand. A signature takes k/8
 * bytes; signing n items takes n·k/64 steps of about a nanosecond, comparing k/64. Immutable and thread-safe.
 *
 * <p>{@code Signature signature = SimHash.of(1024).sign(Set.of("bread", "milk"));} A repeated item counts each time.
 * Jaccard: {@link MinHash}. Vectors with weights, without bias: {@link Hyperplanes}.
 */
public final class SimHash<T> extends AngleFamily {
    /*
     * Bit i is the sign of ⟨z, r⟩ for the incidence vector z and a random r of ±1 [1], [2]: it is 1 iff more than half
     * of the items have bit i of their hash set. r of ±1 stands for the normal r of the theory. By the central limit
     * the two agree, but for sets that differ by a single item: of that, only the sign counts. Computed for all sizes
     * up to 80 and all overlaps, the chance that two bits agree is off by
     *
     *     smaller set       2       4       10      20      50      100
     *     one size       0.000   0.001   0.003   0.004   0.004   0.004     the worst overlap, even sizes
     *     one size       0.018   0.017   0.014   0.011   0.007   0.005     one item more, so odd sizes
     *     any sizes      0.054   0.040   0.026   0.018   0.011   0.008     A of even size, and B = A and one item more
     *
     * Two bits of r per item and component would bring the chance of a difference within 1 % there, at twice the time.
     *
     * Counting. For 64 bits at a time, plane p holds bit p of all 64 counts; eight items are added as a tree of
     * carry-save adders, and what is carried out of the eights ripples on:
     *
     *     items  a b c d e f g h  →  ones, twos, fours  →  eights …        5 operations per item and word, no shifts
     *
     * All 64 counts are compared with n/2 at once, plane by plane from the highest.
     *
     * Ties, where n is even, are decided bit by bit, by the majority of other bits of the same items, as if those bits
     * had a very small weight, and if that is a tie again, by others, in at most 16 rounds. So where two sets tie in
     * one bit, the decisions agree with chance 1 − φ/π again. A fixed decision would make sets look alike that are not;
     * one item that decides all ties of a set would leave an error that no number of bits removes. Of more than 64
     * items only those decide whose mixed hash is below 64/n of its range, a random sample that similar sets share:
     * what that leaves of the error is below 4 % of what is stated, for ties are few then, and a round takes 64 steps
     * instead of n.
     *
     * [1] Charikar (2002). [2] Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling" (2007).
     */
    static final int SCHEME = 0;

    private static final long MIX = 0x8FB6F28ED28D4CA7L;
    static final long GAMMA = 0x9E3779B97F4A7C15L;
    private static final int MIN_PLANES = 4;
    private static final int CHUNK = 256;

    private final Key<T> key;

    private SimHash(int components, Key<T> key) {
        super(SCHEME, components, key);
        this.key = key;
    }

    /** Returns the family with signatures of this number of bits. */
    public static SimHash<String> of(int components) {
        return new SimHash<>(checkedComponents(components), Key.strings());
    }

    /** Returns the same family for sets of values of this key (default: strings). */
    public <U> SimHash<U> of(Key<U> other) {
        return new SimHash<>(components(), Objects.requireNonNull(other, "key must not be null"));
    }

    @Override
    public Key<T> key() {
        return key;
    }

    /** Returns the signature of some items; a repeated item counts each time. */
    public Signature sign(Iterable<? extends T> items) {
        long[] hashes = new long[16];
        int count = 0;
        for (T item : items) {
            if (count == hashes.length) {
                hashes = Arrays.copyOf(hashes, 2 * count);
            }
            hashes[count++] = key.hash(item);
        }
        return sign(hashes, 0, count);
    }

    /** Returns the signature of the hashes in {@code [from, to)}; without hashes, every bit is 0. */
    public Signature sign(long[] hashes, int from, int to) {
        Objects.checkFromToIndex(from, to, hashes.length);
        int words = words();
        int items = to - from;
        int planesPerWord = planesFor(items);
        long[] planes = new long[words * planesPerWord];
        long[] mixed = new long[Math.min(items, CHUNK)];
        TieVoters voters = (items & 1) == 0 && items > 0 ? new TieVoters(items) : null;
        for (int at = from; at < to; at += CHUNK) {
            int count = Math.min(CHUNK, to - at);
            for (int i = 0; i < count; i++) {
                mixed[i] = Mix.with(MIX, hashes[at + i]);
            }
            for (int word = 0; word < words; word++) {
                count(mixed, count, word * GAMMA, planes, word * planesPerWord);
            }
            if (voters != null) {
                voters.add(mixed, count);
            }
        }
        long[] signature = new long[words];
        for (int word = 0; word < words; word++) {
            int at = word * planesPerWord;
            signature[word] = above(planes, at, planesPerWord, items);
            if (voters != null) {
                signature[word] |= voters.decide(tied(planes, at, planesPerWord, items), word);
            }
        }
        int used = components() & 63;
        if (used != 0) {
            signature[words - 1] &= (1L << used) - 1;
        }
        return new Signature(this, signature);
    }

    /** Adds the bits of {@code count} items to the 64 counts whose planes start at {@code at}. */
    static void count(long[] mixed, int count, long gamma, long[] planes, int at) {
        long ones = planes[at];
        long twos = planes[at + 1];
        long fours = planes[at + 2];
        int i = 0;
        for (; i + 8 <= count; i += 8) {
            long a = Mix.finish(mixed[i] + gamma);
            long b = Mix.finish(mixed[i + 1] + gamma);
            long half = ones ^ a;
            long twosA = ones & a | half & b;
            ones = half ^ b;
            a = Mix.finish(mixed[i + 2] + gamma);
            b = Mix.finish(mixed[i + 3] + gamma);
            half = ones ^ a;
            long twosB = ones & a | half & b;
            ones = half ^ b;
            half = twos ^ twosA;
            long foursA = twos & twosA | half & twosB;
            twos = half ^ twosB;
            a = Mix.finish(mixed[i + 4] + gamma);
            b = Mix.finish(mixed[i + 5] + gamma);
            half = ones ^ a;
            twosA = ones & a | half & b;
            ones = half ^ b;
            a = Mix.finish(mixed[i + 6] + gamma);
            b = Mix.finish(mixed[i + 7] + gamma);
            half = ones ^ a;
            twosB = ones & a | half & b;
            ones = half ^ b;
            half = twos ^ twosA;
            long foursB = twos & twosA | half & twosB;
            twos = half ^ twosB;
            half = fours ^ foursA;
            long eights = fours & foursA | half & foursB;
            fours = half ^ foursB;
            ripple(planes, at + 3, eights);
        }
        planes[at] = ones;
        planes[at + 1] = twos;
        planes[at + 2] = fours;
        for (; i < count; i++) {
            ripple(planes, at, Mix.finish(mixed[i] + gamma));
        }
    }

    private static void ripple(long[] planes, int plane, long carry) {
        while (carry != 0) {
            long next = planes[plane] & carry;
            planes[plane++] ^= carry;
            carry = next;
        }
    }

    /** Which of the 64 counts are above half of {@code items}. */
    static long above(long[] planes, int at, int planesPerWord, int items) {
        long above = 0;
        long equal = -1;
        for (int p = planesPerWord - 1; p >= 0; p--) {
            long bit = -(long) (items >>> 1 >>> p & 1);
            above |= equal & planes[at + p] & ~bit;
            equal &= ~(planes[at + p] ^ bit);
        }
        return above;
    }

    /** Which of the 64 counts are exactly half of {@code items}, an even number. */
    static long tied(long[] planes, int at, int planesPerWord, int items) {
        long equal = -1;
        for (int p = 0; p < planesPerWord; p++) {
            equal &= ~(planes[at + p] ^ -(long) (items >>> 1 >>> p & 1));
        }
        return equal;
    }

    static int planesFor(int items) {
        return Math.max(MIN_PLANES, Integer.SIZE - Integer.numberOfLeadingZeros(items));
    }

    @Override
    String name() {
        return "simhash of sets";
    }
}
