package dev.perhaps.membership.quotient;

import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.membership.request.FilterRequest;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;

/**
 * What was asked of a plan for either quotient filter, and the table that satisfies it; 0 items to grow to: not set.
 */
public record QuotientRequest<T>(FilterRequest<T> asked, long growingTo, double load) {
    /** At 0.9 a lookup takes 1.7 times as long, and filling it a third more. */
    private static final double DEFAULT_LOAD = 0.75;

    private static final double MAX_LOAD = 0.9;

    public static QuotientRequest<String> forItems(long items) {
        return new QuotientRequest<>(FilterRequest.forItems(items), 0, DEFAULT_LOAD);
    }

    public <U> QuotientRequest<U> with(FilterRequest<U> other) {
        return new QuotientRequest<>(other, growingTo, load);
    }

    public QuotientRequest<T> growingTo(long items) {
        if (items < asked.items()) {
            throw new IllegalArgumentException(
                    "growingTo must be at least the " + asked.items() + " items expected, got " + items);
        }
        return new QuotientRequest<>(asked, items, load);
    }

    public QuotientRequest<T> load(double most) {
        if (!(most > 0 && most <= MAX_LOAD)) {
            throw new IllegalArgumentException("load must be in (0, " + MAX_LOAD + "], got " + most);
        }
        return new QuotientRequest<>(asked, growingTo, most);
    }

    public Key<T> key() {
        return asked.key();
    }

    public Sizing sizing() {
        return asked.within(sizing(asked.items(), range(), remainderBits()));
    }

    public static Sizing sizing(long items, long range, int remainderBits) {
        double error = QuotientFormulas.falsePositives(items, range);
        long bytes = QuotientTable.wordsFor(range, remainderBits) * Long.BYTES;
        return new Sizing(Kind.QUOTIENT, items, error, bytes, 0);
    }

    public QuotientTable table() {
        return new QuotientTable(range(), remainderBits());
    }

    /** How often it can double its slots: as often as it takes to get from the items expected to those it grows to. */
    public int spareBits() {
        int doublings = 0;
        while (Math.scalb((double) asked.items(), doublings) < growingTo) {
            doublings++;
        }
        return doublings;
    }

    private long range() {
        return slots() << remainderBits();
    }

    /** Whole blocks: the slots are paid for anyway. Any number of them, not a power of two: up to half the memory. */
    private long slots() {
        double needed = Math.ceil(asked.items() / load);
        if (needed / QuotientTable.BLOCK_SLOTS * (1 + QuotientTable.REMAINDERS) > QuotientTable.MAX_WORDS) {
            throw tooMany(needed, 1);
        }
        return ((long) needed + QuotientTable.BLOCK_SLOTS - 1) / QuotientTable.BLOCK_SLOTS * QuotientTable.BLOCK_SLOTS;
    }

    private int remainderBits() {
        long slots = slots();
        int spare = spareBits();
        int most = Math.min(QuotientTable.MAX_REMAINDER_BITS, Long.numberOfLeadingZeros(slots) - 2);
        int bits;
        if (asked.byMemory()) {
            double fitting = asked.memoryBytes() * 8.0 / slots - QuotientTable.REMAINDERS;
            bits = (int) Math.max(1 + spare, Math.min(most, fitting));
        } else {
            double atLast = Math.max(asked.items(), growingTo);
            bits = spare
                    + QuotientFormulas.remainderBits(atLast, Math.scalb((double) slots, spare), asked.errorOrDefault());
        }
        if (bits > most) {
            throw new IllegalArgumentException(Figures.count(asked.items()) + " items at "
                    + Figures.percent(asked.errorOrDefault()) + " need remainders of " + bits + " bits, and at most "
                    + most + " are possible: accept a higher error, or less growth");
        }
        if (slots / QuotientTable.BLOCK_SLOTS * (bits + QuotientTable.REMAINDERS) > QuotientTable.MAX_WORDS) {
            throw tooMany(slots, bits);
        }
        return bits;
    }

    private IllegalArgumentException tooMany(double slots, int remainderBits) {
        return new IllegalArgumentException(Figures.count(asked.items()) + " items need "
                + Figures.significant(QuotientFormulas.bits(slots, remainderBits))
                + " bits, and one filter has at most "
                + Figures.count(QuotientTable.MAX_WORDS * 64L) + ": split the set or accept a higher error");
    }
}
