package dev.perhaps.spark.duplicates;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/** Components of a graph of contents, part by part: of a part only as many pairs stay as connect what it connects. */
final class Forest {
    /*
     * A part of the pairs is read and reduced to a spanning forest, at most one pair per content. Forests of several
     * parts are read again in the same way, and the last one has all components. Which pairs stay depends on the order
     * in which they are read; what they connect does not.
     */
    private final Map<Fingerprint, Integer> numbers = new HashMap<>();
    private final List<Fingerprint> contents = new ArrayList<>();
    private int[] parents = new int[1 << 10];
    private final List<Row> pairs = new ArrayList<>();

    private Forest(Iterator<Row> rows) {
        while (rows.hasNext()) {
            Row row = rows.next();
            int a = find(number(Fingerprint.of(row)));
            int b = find(number(Fingerprint.ofOther(row)));
            if (a != b) {
                parents[Math.max(a, b)] = Math.min(a, b);
                pairs.add(row);
            }
        }
    }

    /** Pairs that connect what all of these connect. */
    static Iterator<Row> reduced(Iterator<Row> rows) {
        return new Forest(rows).pairs.iterator();
    }

    /** For each content its component, which is named by half the fingerprint of its least member. */
    static Iterator<Row> components(Iterator<Row> rows) {
        Forest forest = new Forest(rows);
        Fingerprint[] least = new Fingerprint[forest.contents.size()];
        for (int i = 0; i < least.length; i++) {
            int root = forest.find(i);
            Fingerprint content = forest.contents.get(i);
            least[root] = least[root] == null || content.compareTo(least[root]) < 0 ? content : least[root];
        }
        Iterator<Fingerprint> all = forest.contents.iterator();
        return new Iterator<>() {
            private int at;

            @Override
            public boolean hasNext() {
                return all.hasNext();
            }

            @Override
            public Row next() {
                Fingerprint content = all.next();
                return RowFactory.create(content.high(), content.low(), least[forest.find(at++)].high());
            }
        };
    }

    private int number(Fingerprint content) {
        Integer known = numbers.get(content);
        if (known != null) {
            return known;
        }
        int number = contents.size();
        if (number == parents.length) {
            parents = Arrays.copyOf(parents, 2 * number);
        }
        parents[number] = number;
        numbers.put(content, number);
        contents.add(content);
        return number;
    }

    private int find(int member) {
        while (parents[member] != member) {
            parents[member] = parents[parents[member]];
            member = parents[member];
        }
        return member;
    }
}
