package dev.perhaps.key;

import java.util.Arrays;
import java.util.Objects;

/**
 * Hashes the k-mers of DNA, which are all windows of K letters of a sequence, such that both strands give the same
 * hash. The time per letter does not depend on K, and nothing is allocated. Case is ignored; a window with any letter
 * other than A, C, G and T is skipped. Immutable and safe for any number of threads; a {@link Window} is confined to
 * one.
 *
 * <pre>{@code
 * byte[] read = "GATTACAGATTACA".getBytes(US_ASCII);
 * long[] hashes = new long[read.length];
 * int count = Key.kmers(5).hashes(read, 0, read.length, hashes);
 * }</pre>
 */
public final class Kmers implements Key<String> {
    /*
     * Two bits per letter, A 0, C 1, G 2, T 3, the first letter in the highest of the 2K bits. A and T, C and G pair,
     * so the complement of a letter is 3 minus it, and the k-mer of the other strand is the complements in reverse
     * order. Both encodings roll along:
     *
     *     letters      … G A T T A C A …
     *     forward          [A T T A C]        next letter A: drop the first, append A = 0 on the right
     *     other strand     [G T A A T]        next letter A: prepend T = 3 on the left, drop the last
     *
     * The smaller of the two, unsigned, is the canonical k-mer; its 8 little-endian bytes are hashed (docs/format.md).
     *
     * Left out: K above 32, which needs two words per strand. 31 is what most tools index with, 32 fits one word
     * exactly. A palindrome (even K only) is its own other strand; that does no harm to a filter.
     */
    /** The largest k: a k-mer is packed into one long of two bits per base. */
    public static final int MAX_BASES = 32;

    static final String PREFIX = "kmers:";

    private static final int OTHER = -1;
    private static final byte[] CODES = new byte[256];

    static {
        Arrays.fill(CODES, (byte) OTHER);
        for (int code = 0; code < 4; code++) {
            CODES["ACGT".charAt(code)] = (byte) code;
            CODES["acgt".charAt(code)] = (byte) code;
        }
    }

    private final int bases;
    private final Longs longs;

    private Kmers(int bases, Longs longs) {
        this.bases = bases;
        this.longs = longs;
    }

    static Kmers of(int bases) {
        if (bases < 1 || bases > MAX_BASES) {
            throw new IllegalArgumentException("a k-mer must have 1 to " + MAX_BASES + " bases, got " + bases);
        }
        return new Kmers(bases, Key.longs());
    }

    /** Returns K, the length of a window. */
    public int bases() {
        return bases;
    }

    /** Hashes one k-mer, of exactly K letters. */
    @Override
    public long hash(String kmer) {
        if (Objects.requireNonNull(kmer, KeyName.NO_VALUE).length() != bases) {
            throw notOne(kmer);
        }
        long forward = 0;
        long other = 0;
        for (int i = 0; i < bases; i++) {
            char letter = kmer.charAt(i);
            long code = letter < CODES.length ? CODES[letter] : OTHER;
            if (code == OTHER) {
                throw notOne(kmer);
            }
            forward = forward << 2 | code;
            other |= 3 - code << 2 * i;
        }
        return longs.hash(smaller(forward, other));
    }

    private IllegalArgumentException notOne(String got) {
        return new IllegalArgumentException("a k-mer of key " + name() + " has exactly " + bases
                + " letters of A, C, G and T, got '" + Abbreviated.of(got) + "'");
    }

    /**
     * Hashes every k-mer of a whole sequence, in order.
     *
     * @param into receives the hashes from index 0 on; {@code to - from} elements are always enough
     * @return the number of hashes
     */
    public int hashes(byte[] sequence, int from, int to, long[] into) {
        return window().roll(sequence, from, to, into);
    }

    /** Returns a window at the start of a sequence. */
    public Window window() {
        return new Window(bases, longs);
    }

    private static long smaller(long forward, long other) {
        // Which strand is smaller is random, so a branch would be mispredicted half of the time; the minimum of two
        // longs needs no branch.
        return Math.min(forward ^ Long.MIN_VALUE, other ^ Long.MIN_VALUE) ^ Long.MIN_VALUE;
    }

    @Override
    public String name() {
        return PREFIX + bases;
    }

    @Override
    public long seed() {
        return longs.seed();
    }

    @Override
    public Kmers seeded(long seed) {
        return new Kmers(bases, longs.seeded(seed));
    }

    @Override
    public String toString() {
        return name();
    }

    /** Hashes a sequence that comes in pieces, such as the lines of a FASTA record. Not thread-safe. */
    public static final class Window {
        private final int bases;
        private final Longs longs;
        private final long mask;
        private final int top;
        private long forward;
        private long other;
        private int filled;

        private Window(int bases, Longs longs) {
            this.bases = bases;
            this.longs = longs;
            this.mask = -1L >>> Long.SIZE - 2 * bases;
            this.top = 2 * (bases - 1);
        }

        /**
         * Hashes each k-mer that ends in the next piece.
         *
         * @param into receives the hashes from index 0 on; {@code to - from} elements are always enough
         * @return the number of hashes
         */
        public int roll(byte[] piece, int from, int to, long[] into) {
            Objects.checkFromToIndex(from, to, piece.length);
            if (into.length < to - from) {
                throw new IllegalArgumentException(
                        (to - from) + " letters need room for as many hashes, got " + into.length);
            }
            long ahead = forward;
            long back = other;
            int letters = filled;
            int count = 0;
            for (int i = from; i < to; i++) {
                long code = CODES[piece[i] & 0xFF];
                if (code == OTHER) {
                    letters = 0;
                    continue;
                }
                ahead = (ahead << 2 | code) & mask;
                back = back >>> 2 | 3 - code << top;
                if (++letters >= bases) {
                    letters = bases;
                    into[count++] = longs.hash(smaller(ahead, back));
                }
            }
            forward = ahead;
            other = back;
            filled = letters;
            return count;
        }

        /** Starts another sequence. */
        public void restart() {
            filled = 0;
        }
    }
}
