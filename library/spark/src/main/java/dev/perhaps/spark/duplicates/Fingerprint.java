package dev.perhaps.spark.duplicates;

import org.apache.spark.sql.Row;

/** What a content is known by. */
record Fingerprint(long high, long low) implements Comparable<Fingerprint> {
    static Fingerprint of(Row row) {
        return new Fingerprint(row.getLong(row.fieldIndex("high")), row.getLong(row.fieldIndex("low")));
    }

    static Fingerprint ofOther(Row row) {
        return new Fingerprint(row.getLong(row.fieldIndex("otherHigh")), row.getLong(row.fieldIndex("otherLow")));
    }

    @Override
    public int compareTo(Fingerprint other) {
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }
}
