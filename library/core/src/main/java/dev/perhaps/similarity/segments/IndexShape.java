package dev.perhaps.similarity.segments;

import java.nio.charset.StandardCharsets;

/**
 * The positions of the parts of an index in its words of 8 bytes, for a given number of documents. Immutable.
 *
 * @param setWords words of all shingle sets, each behind its count; 0 if the index is not exact
 */
public record IndexShape(int components, int rows, boolean exact, long documents, long nameBytes, long setWords) {
    /*
     * docs/format.md defines the format; n documents, k components, b bands of r rows:
     *
     *     states        n          the cluster's document in the low 32 bits, bit 32: kept
     *     fingerprints  2n         high, low; both 0 if there is none
     *     lengths       n
     *     name ends     n          where the name ends in the names
     *     signatures    n ⌈k/4⌉    16 bits per component
     *     orders        (b + 2) ⌈n/2⌉   documents sorted by the key of each band, by name and by fingerprint; 32 bits each
     *     set starts    n          only if exact
     *     names         ⌈bytes/8⌉
     *     sets          a count and that number of hashes, ascending; only if exact; equal contents share one
     */
    public static final int BITS = 16;
    public static final long MAX_DOCUMENTS = Integer.MAX_VALUE - 8;
    public static final int MAX_NAME_BYTES = (1 << 16) - 1;

    private static final int FIXED_WORDS = 5;
    private static final int LANES = Long.SIZE / BITS;

    int bands() {
        return components / rows;
    }

    /** The order by name; that of band i is i. */
    public int byName() {
        return bands();
    }

    int byFingerprint() {
        return bands() + 1;
    }

    public int orders() {
        return bands() + 2;
    }

    public static int signatureWords(int components) {
        return (components + LANES - 1) / LANES;
    }

    public int signatureWords() {
        return signatureWords(components);
    }

    long fingerprintsAt() {
        return documents;
    }

    long lengthsAt() {
        return 3 * documents;
    }

    long nameEndsAt() {
        return 4 * documents;
    }

    public long signaturesAt() {
        return FIXED_WORDS * documents;
    }

    public long ordersAt(int order) {
        return signaturesAt() + documents * signatureWords() + order * orderWords();
    }

    long orderWords() {
        return (documents + 1) / 2;
    }

    long setStartsAt() {
        return ordersAt(orders());
    }

    long namesAt() {
        return setStartsAt() + (exact ? documents : 0);
    }

    public long setsAt() {
        return namesAt() + (nameBytes + Long.BYTES - 1) / Long.BYTES;
    }

    /** Words of all. */
    public long words() {
        return setsAt() + setWords;
    }

    /** The low bits of each component, side by side. */
    public static long[] cut(long[] components) {
        long[] words = new long[signatureWords(components.length)];
        for (int i = 0; i < components.length; i++) {
            words[i / LANES] |= (components[i] & 0xFFFF) << BITS * (i % LANES);
        }
        return words;
    }

    /** The same of components of which the low 32 bits are left. */
    public static long[] cut(int[] components) {
        long[] words = new long[signatureWords(components.length)];
        for (int i = 0; i < components.length; i++) {
            words[i / LANES] |= (components[i] & 0xFFFFL) << BITS * (i % LANES);
        }
        return words;
    }

    static int component(long word, int i) {
        return (int) (word >>> BITS * (i % LANES)) & 0xFFFF;
    }

    /** The order of two signatures that were cut, by their components from this one on, around to the one before it. */
    public static int compareTies(long[] a, long[] b, int first, int components) {
        for (int i = 0; i < components; i++) {
            int at = (first + i) % components;
            int own = component(a[at / LANES], at);
            int other = component(b[at / LANES], at);
            if (own != other) {
                return Integer.compare(own, other);
            }
        }
        return 0;
    }

    /** Equal components of two signatures that were cut. */
    public static int hits(long[] a, long[] b, int components) {
        int different = 0;
        for (int i = 0; i < a.length; i++) {
            long x = a[i] ^ b[i];
            // The highest bit of each lane of 16 is set iff the lane is not 0.
            x = (x & 0x7FFF7FFF7FFF7FFFL) + 0x7FFF7FFF7FFF7FFFL | x;
            different += Long.bitCount(x & 0x8000800080008000L);
        }
        return components - different;
    }

    /** The similarity that {@code hits} equal components of 16 bits suggest: different ones look alike once in 2^16. */
    public static double estimate(int hits, int components) {
        double alike = 1.0 / (1 << BITS);
        return Math.max(0, ((double) hits / components - alike) / (1 - alike));
    }

    /** The UTF-8 of a document's name, if it has a length that a name may have. */
    public static byte[] checkedName(String name) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        if (utf8.length == 0 || utf8.length > MAX_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "a document's name must have 1 to " + MAX_NAME_BYTES + " bytes, got " + utf8.length);
        }
        return utf8;
    }
}
