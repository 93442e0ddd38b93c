package dev.perhaps.membership.cuckoo;

import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.membership.request.FilterRequest;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;

/** What was asked of a plan for either kind of cuckoo filter, and the table that satisfies it; 0 bits: not set. */
public record CuckooRequest<T>(
        FilterRequest<T> asked, int slots, int fingerprintBits, boolean growing, boolean concurrent) {
    public static CuckooRequest<String> forItems(long items) {
        return new CuckooRequest<>(FilterRequest.forItems(items), 4, 0, false, false);
    }

    public <U> CuckooRequest<U> with(FilterRequest<U> other) {
        return new CuckooRequest<>(other, slots, fingerprintBits, growing, concurrent);
    }

    public CuckooRequest<T> slots(int perBucket) {
        if (perBucket != 1 && perBucket != 2 && perBucket != 4) {
            throw new IllegalArgumentException("slots must be 1, 2 or 4, got " + perBucket);
        }
        return new CuckooRequest<>(asked, perBucket, fingerprintBits, growing, concurrent);
    }

    public CuckooRequest<T> fingerprintBits(int exactly) {
        if (exactly < CuckooTable.MIN_BITS || exactly > CuckooTable.MAX_BITS) {
            throw new IllegalArgumentException("fingerprintBits must be in [" + CuckooTable.MIN_BITS + ", "
                    + CuckooTable.MAX_BITS + "], got " + exactly);
        }
        return new CuckooRequest<>(asked, slots, exactly, growing, concurrent);
    }

    public CuckooRequest<T> growAsNeeded() {
        return new CuckooRequest<>(asked, slots, fingerprintBits, true, concurrent);
    }

    public CuckooRequest<T> shared() {
        return new CuckooRequest<>(asked, slots, fingerprintBits, growing, true);
    }

    public Key<T> key() {
        return asked.key();
    }

    public Sizing sizing() {
        long buckets = buckets();
        int bits = bits(buckets);
        return asked.within(new Sizing(Kind.CUCKOO, asked.items(), error(buckets, bits), tableBytes(buckets, bits), 0));
    }

    public CuckooTable table() {
        long buckets = buckets();
        return CuckooTable.first(buckets, slots, bits(buckets));
    }

    private long buckets() {
        double needed = CuckooFormulas.bucketsWithSpare(asked.items(), slots);
        if (CuckooFormulas.bytes(needed, slots, CuckooTable.MIN_BITS) > 8.0 * CuckooBuckets.MAX_WORDS) {
            throw tooMany(needed, CuckooTable.MIN_BITS);
        }
        return (long) needed;
    }

    private int bits(long buckets) {
        int bits = wantedBits(buckets);
        if (CuckooBuckets.wordsFor(buckets, slots, bits) > CuckooBuckets.MAX_WORDS) {
            throw tooMany(buckets, bits);
        }
        return bits;
    }

    private int wantedBits(long buckets) {
        if (fingerprintBits > 0) {
            return fingerprintBits;
        }
        int bits = CuckooTable.MIN_BITS;
        while (bits < CuckooTable.MAX_BITS && !fits(buckets, bits)) {
            bits++;
        }
        if (asked.byMemory()) {
            while (bits < CuckooTable.MAX_BITS && tableBytes(buckets, bits + 1) <= asked.memoryBytes()) {
                bits++;
            }
            return bits;
        }
        while (errorOfAll(buckets, bits) > asked.errorOrDefault()) {
            if (bits == CuckooTable.MAX_BITS) {
                throw new IllegalArgumentException("falsePositives " + asked.errorOrDefault()
                        + " needs fingerprints of more than " + CuckooTable.MAX_BITS + " bits: ask for at least "
                        + Figures.significant(errorOfAll(buckets, bits)));
            }
            bits++;
        }
        return bits;
    }

    /**
     * Whether fingerprints that start with {@code bits} bits are long enough in every table for its items to find room.
     */
    private boolean fits(long buckets, int bits) {
        boolean fits = CuckooFormulas.fewestBits(asked.items(), buckets, slots) <= bits;
        for (int k = 1; growing && fits && bits + k <= CuckooTable.MAX_BITS; k++) {
            double more = Math.scalb((double) buckets, k);
            fits = CuckooFormulas.fewestBits(CuckooFormulas.itemsWithSpare(more, slots), more, slots) <= bits + k;
        }
        return fits;
    }

    /**
     * The error of the table, or of all tables that it may grow to, when they hold what they are for; 1 in 100 is
     * above.
     */
    private double errorOfAll(long buckets, int bits) {
        double sum = error(buckets, bits) * CuckooFormulas.swing(asked.items(), bits);
        for (int k = 1; growing && bits + k <= CuckooTable.MAX_BITS; k++) {
            double more = Math.scalb((double) buckets, k);
            sum += CuckooFormulas.falsePositives(more, bits + k, CuckooFormulas.itemsWithSpare(more, slots));
        }
        return sum;
    }

    private double error(long buckets, int bits) {
        return CuckooFormulas.falsePositives(buckets, bits, asked.items());
    }

    private long tableBytes(long buckets, int bits) {
        return CuckooBuckets.wordsFor(buckets, slots, bits) * Long.BYTES;
    }

    private IllegalArgumentException tooMany(double buckets, int bits) {
        return new IllegalArgumentException(Figures.count(asked.items()) + " items need "
                + Figures.significant(buckets * slots * bits) + " bits, and one table has at most "
                + Figures.count(CuckooBuckets.MAX_WORDS * 64L) + ": split the set or accept a higher error");
    }
}
