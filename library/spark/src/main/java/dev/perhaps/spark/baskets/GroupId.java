package dev.perhaps.spark.baskets;

import java.util.Comparator;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/** What items that are in the same baskets are known by; in the order of the library. */
record GroupId(long high, long low, int support) implements Comparable<GroupId> {
    private static final Comparator<GroupId> ORDER = Comparator.comparingLong(GroupId::high)
            .thenComparingLong(GroupId::low)
            .thenComparingInt(GroupId::support);

    static GroupId of(Row row, String high, String low, String support) {
        return new GroupId(row.<Long>getAs(high), row.<Long>getAs(low), row.<Integer>getAs(support));
    }

    @Override
    public int compareTo(GroupId other) {
        return ORDER.compare(this, other);
    }

    /** A pair as a row: the group that is in fewer baskets first. */
    Row with(GroupId other) {
        boolean isFirst = support != other.support ? support < other.support : compareTo(other) < 0;
        GroupId a = isFirst ? this : other;
        GroupId b = isFirst ? other : this;
        return RowFactory.create(a.high, a.low, a.support, b.high, b.low, b.support);
    }
}
