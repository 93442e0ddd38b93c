package dev.perhaps.sketch;

import org.jspecify.annotations.Nullable;

/** The kinds of structure that a file can hold, each with a number and a word that never change. */
public enum Kind {
    // The registry of docs/format.md: number, word, newest version of its layout that this library reads and writes.
    /** {@code BloomFilter}. */
    BLOOM(1, "bloom", 1),
    /** {@code BlockedBloom}. */
    BLOCKED(2, "blocked", 1),
    /** {@code ScalableBloom}. */
    SCALABLE(3, "scalable", 1),
    /** {@code CountingBloom}. */
    COUNTING(4, "counting", 1),
    /** {@code CountingBloom} with compact counters. */
    COUNTING2(5, "counting2", 1),
    /** {@code QuotientFilter} and {@code QuotientSet}. */
    QUOTIENT(6, "quotient", 1),
    /** {@code CuckooFilter} and {@code CuckooSet}. */
    CUCKOO(7, "cuckoo", 1),
    /** {@code FuseFilter}. */
    FUSE(8, "fuse", 1),
    /** {@code SelectiveCounting}. */
    SELECTIVE(9, "selective", 1),
    /** {@code CountMin}. */
    COUNT(10, "count", 1),
    /** {@code RangeCounts}. */
    RANGES(11, "ranges", 1),
    /** {@code TopK}. */
    TOP(12, "top", 1),
    /** {@code TinyTopK}. */
    TINY_TOP(13, "tiny-top", 1),
    /** {@code HeavyHitters}. */
    HEAVY(14, "heavy", 1),
    /** {@code Distinct}. */
    DISTINCT(15, "distinct", 1),
    /** {@code SlidingCounts}. */
    SLIDING_COUNT(16, "sliding-count", 1),
    /** {@code SlidingTopK}. */
    SLIDING_TOP(17, "sliding-top", 1),
    /** {@code Flows}. */
    FLOWS(18, "flows", 1),
    /** {@code Signatures} of {@code MinHash} and {@code BitMinHash}. */
    MINHASH(19, "minhash", 1),
    /** {@code Signatures} of {@code SimHash} and {@code Hyperplanes}. */
    SIMHASH(20, "simhash", 1),
    /** {@code Signatures} of {@code BitSample}. */
    BIT_SAMPLE(21, "bit-sample", 1),
    /** {@code SimilarityIndex}. */
    SIMILAR(22, "similar", 1),
    /** {@code BloomDelta}. */
    BLOOM_DELTA(23, "bloom-delta", 1),
    /** {@code ExpiringBloom}. */
    EXPIRING(24, "expiring", 1);

    private final int number;
    private final String word;
    private final int version;

    Kind(int number, String word, int version) {
        this.number = number;
        this.word = word;
        this.version = version;
    }

    /** Returns the number in the header of a file. */
    public int number() {
        return number;
    }

    /** Returns the word that the command line and messages use. */
    public String word() {
        return word;
    }

    /** Returns the newest version of this kind's layout. */
    public int version() {
        return version;
    }

    /** Returns true if structures of this kind can have a salt: filters, and deltas between them. */
    public boolean isSalted() {
        return switch (this) {
            case BLOOM,
                    BLOCKED,
                    SCALABLE,
                    COUNTING,
                    COUNTING2,
                    QUOTIENT,
                    CUCKOO,
                    FUSE,
                    SELECTIVE,
                    BLOOM_DELTA,
                    EXPIRING -> true;
            default -> false;
        };
    }

    /** Returns the kind with this number, or null if this library does not know it. */
    public static @Nullable Kind numbered(int number) {
        for (Kind kind : values()) {
            if (kind.number == number) {
                return kind;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return word;
    }
}
