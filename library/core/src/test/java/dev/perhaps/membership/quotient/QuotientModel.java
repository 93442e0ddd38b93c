package dev.perhaps.membership.quotient;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;

/** An exact multiset of fingerprints, and the only table that may stand for it, laid out slot by slot in plain arrays. */
public final class QuotientModel {
    private static final long OCCUPIED = 1L << 62;
    private static final long CONTINUATION = 1L << 61;
    private static final long SHIFTED = 1L << 60;

    private final long range;
    private long[] sorted = new long[0];

    public QuotientModel(long range) {
        this.range = range;
    }

    long size() {
        return sorted.length;
    }

    long distinct() {
        return Arrays.stream(sorted).distinct().count();
    }

    long[] fingerprints() {
        return sorted.clone();
    }

    long count(long fingerprint) {
        return Arrays.stream(sorted).filter(each -> each == fingerprint).count();
    }

    public void add(long fingerprint) {
        sorted = Arrays.copyOf(sorted, sorted.length + 1);
        sorted[sorted.length - 1] = fingerprint;
        Arrays.sort(sorted);
    }

    boolean remove(long fingerprint) {
        int at = Arrays.binarySearch(sorted, fingerprint);
        if (at < 0) {
            return false;
        }
        long[] fewer = Arrays.copyOf(sorted, sorted.length - 1);
        System.arraycopy(sorted, at + 1, fewer, at, sorted.length - at - 1);
        sorted = fewer;
        return true;
    }

    /** Holds every bit of the table against this multiset: metadata, remainders, empty slots, counts, order. */
    public void assertIs(QuotientTable table, boolean everyCopy) {
        assertThat(table.range).isEqualTo(range);
        assertThat(table.used()).isEqualTo(size());
        assertThat(table.distinct()).isEqualTo(distinct());
        assertThat(QuotientCheck.flaw(table, everyCopy)).isEmpty();

        int slots = (int) table.slots;
        long[] expected = new long[slots];
        long wrapped = layOut(table.remainderBits, slots, 0, new long[slots]);
        layOut(table.remainderBits, slots, wrapped, expected);
        for (long fingerprint : sorted) {
            expected[(int) (fingerprint >>> table.remainderBits)] |= OCCUPIED;
        }
        long[] actual = new long[slots];
        for (int slot = 0; slot < slots; slot++) {
            actual[slot] = table.remainder(slot)
                    | (table.get(QuotientTable.OCCUPIED, slot) ? OCCUPIED : 0)
                    | (table.get(QuotientTable.CONTINUATION, slot) ? CONTINUATION : 0)
                    | (table.get(QuotientTable.SHIFTED, slot) ? SHIFTED : 0);
        }
        assertThat(actual).isEqualTo(expected);

        QuotientCursor cursor = new QuotientCursor(table);
        long[] walked = new long[sorted.length];
        for (int i = 0; i < walked.length; i++) {
            walked[i] = cursor.nextLong();
        }
        assertThat(walked).isEqualTo(sorted);
        assertThat(cursor.hasNext()).isFalse();
    }

    static String metadata(QuotientTable table, long slot) {
        return (table.get(QuotientTable.OCCUPIED, slot) ? "1" : "0")
                + (table.get(QuotientTable.CONTINUATION, slot) ? "1" : "0")
                + (table.get(QuotientTable.SHIFTED, slot) ? "1" : "0");
    }

    /** Lays the sorted fingerprints out from slot {@code next} on; answers how many slots lie over the end. */
    private long layOut(int remainderBits, int slots, long next, long[] into) {
        long quotientBefore = -1;
        for (long fingerprint : sorted) {
            long quotient = fingerprint >>> remainderBits;
            long slot = Math.max(quotient, next);
            into[(int) (slot % slots)] = fingerprint & (1L << remainderBits) - 1
                    | (quotient == quotientBefore ? CONTINUATION : 0)
                    | (slot == quotient ? 0 : SHIFTED);
            quotientBefore = quotient;
            next = slot + 1;
        }
        return Math.max(0, next - slots);
    }
}
