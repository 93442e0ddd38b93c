package dev.perhaps.lab.guard;

import dev.perhaps.key.Key;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.NumberFormats;
import dev.perhaps.lab.ResultTable;
import dev.perhaps.membership.BloomFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Fifty tables on disk with a filter each, searched from the newest: after a "no" of the filter the next table, after a
 * "perhaps" this one, and the next if the key is not there.
 */
final class TableStack {
    /*
     * As in a store that writes its memory out as one sorted table after another: 1,000 keys per table, a tenth of them
     * newer versions of keys in older tables. Asked are all these keys and as many that are nowhere.
     *
     * Error. Of all (key, table) pairs that a lookup meets before it ends, those where the filter says "perhaps" and
     * the table has nothing:
     *
     *     by key       every key counts alike
     *     by question  every key counts as often as it is asked for: uniformly, or by Zipf's law with exponent 1.1, where
     *                  the first of 100,000 keys gets one question in eight
     *
     * On average over filters both are the filters' error. But a filter errs on the same keys again and again: under
     * Zipf's law what is seen depends on whether it errs on a few frequent keys, and swings from filter to filter.
     */
    private static final int TABLES = 50;
    private static final int KEYS_PER_TABLE = 1_000;
    private static final double REWRITTEN = 0.1;
    private static final double EXPONENT = 1.1;
    private static final double ERROR = 0.01;

    private final Conditions conditions;
    private final List<long[]> tables = new ArrayList<>();
    private final Map<Long, Integer> newest = new HashMap<>();
    private final long[] universe;
    private final double[] zipf;

    TableStack(Conditions conditions) {
        this.conditions = conditions;
        SplittableRandom random = new SplittableRandom(7);
        List<Long> known = new ArrayList<>();
        for (int table = 0; table < TABLES; table++) {
            Map<Long, Boolean> keys = new HashMap<>();
            while (keys.size() < KEYS_PER_TABLE) {
                boolean again = !known.isEmpty() && random.nextDouble() < REWRITTEN;
                long key = again ? known.get(random.nextInt(known.size())) : random.nextLong();
                keys.put(key, true);
            }
            for (long key : keys.keySet()) {
                if (newest.put(key, table) == null) {
                    known.add(key);
                }
            }
            tables.add(
                    keys.keySet().stream().mapToLong(Long::longValue).sorted().toArray());
        }
        universe = new long[2 * known.size()];
        for (int i = 0; i < universe.length; i++) {
            universe[i] = i < known.size() ? known.get(i) : random.nextLong();
        }
        for (int i = universe.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            long swapped = universe[i];
            universe[i] = universe[j];
            universe[j] = swapped;
        }
        zipf = new double[universe.length];
        for (int i = 0; i < zipf.length; i++) {
            zipf[i] = Math.pow(i + 1, -EXPONENT);
        }
    }

    /** Errors as they are seen, by key and by question. */
    private record Errors(double byKey, double byQuestion, double stated) {}

    void report(Findings findings) {
        int seeds = conditions.seedsOr(20, 5);
        List<Errors> errors = conditions.each("50 tables", seeds, seed -> errors(filters(1 + seed)));
        double[] byKey = errors.stream().mapToDouble(Errors::byKey).toArray();
        double[] byQuestion = errors.stream().mapToDouble(Errors::byQuestion).toArray();
        double stated = errors.stream().mapToDouble(Errors::stated).average().orElse(Double.NaN);
        ResultTable table = new ResultTable(
                "stack-errors", "50 tables with a filter each: the error that is seen, over " + seeds + " seeds");
        table.text("questions").number("mean, %", "%.3f").number("±", "%.3f").number("least, %", "%.3f");
        table.number("most, %", "%.3f");
        row(table, "uniform (by key)", byKey);
        row(table, "Zipf (by question)", byQuestion);
        findings.add(table);
        findings.expect(Expectation.near(
                "50 tables: error by key over what the filters state",
                NumberFormats.mean(byKey) / stated,
                1,
                0.05,
                "%.4f"));
        findings.expect(Expectation.atLeast(
                "50 tables: swing of the error from filter to filter, by Zipf question over by key",
                NumberFormats.deviation(byQuestion) / NumberFormats.deviation(byKey),
                3,
                "%.1f"));
        reads(findings);
    }

    private static void row(ResultTable table, String name, double[] errors) {
        table.row(
                name,
                100 * NumberFormats.mean(errors),
                100 * NumberFormats.deviation(errors),
                100 * java.util.Arrays.stream(errors).min().orElse(0),
                100 * java.util.Arrays.stream(errors).max().orElse(0));
    }

    private List<BloomFilter<Long>> filters(long seed) {
        List<BloomFilter<Long>> filters = new ArrayList<>();
        Key.Longs key = Key.longs().seeded(seed);
        for (long[] keys : tables) {
            BloomFilter<Long> filter = BloomFilter.expecting(KEYS_PER_TABLE)
                    .of(key)
                    .falsePositives(ERROR)
                    .build();
            for (long each : keys) {
                filter.addHash(key.hash(each));
            }
            filters.add(filter);
        }
        return filters;
    }

    private Errors errors(List<BloomFilter<Long>> filters) {
        Key.Longs key = Key.longs().seeded(filters.get(0).key().seed());
        double wrong = 0;
        double asked = 0;
        double wrongWeighted = 0;
        double askedWeighted = 0;
        for (int i = 0; i < universe.length; i++) {
            long hash = key.hash(universe[i]);
            // Tables that are met before the one that has the key; all of them if no table has it.
            int last = newest.getOrDefault(universe[i], -1);
            int met = TABLES - 1 - last;
            int falsely = 0;
            for (int table = TABLES - 1; table > last; table--) {
                falsely += filters.get(table).mightContainHash(hash) ? 1 : 0;
            }
            wrong += falsely;
            asked += met;
            wrongWeighted += zipf[i] * falsely;
            askedWeighted += zipf[i] * met;
        }
        double stated =
                filters.stream().mapToDouble(BloomFilter::errorNow).average().orElse(Double.NaN);
        return new Errors(wrong / asked, wrongWeighted / askedWeighted, stated);
    }

    /** What lookups read, with filters and without. */
    private void reads(Findings findings) {
        ResultTable table = new ResultTable("stack-reads", "50 tables, newest first: what a lookup reads");
        table.text("questions").text("filters").number("tables read", "%.2f").number("pages read", "%.2f");
        table.number("microseconds", "%.1f").number("answered", "%,d");
        int questions = conditions.quick() ? 300 : 4_000;
        List<BloomFilter<Long>> filters = filters(1);
        try (DiskTables disk = DiskTables.of(tables)) {
            for (boolean uniform : new boolean[] {true, false}) {
                long[] asked = questions(questions, uniform);
                Walk without = walk(disk, asked, null);
                Walk with = walk(disk, asked, filters);
                String name = uniform ? "uniform" : "Zipf";
                without.addTo(table, name, "none", questions);
                with.addTo(table, name, "a Bloom filter each", questions);
                findings.expect(Expectation.near(
                        "50 tables, " + name + ": answers with filters less answers without",
                        with.answered - (double) without.answered,
                        0,
                        0,
                        "%.0f"));
                if (uniform) {
                    findings.expect(Expectation.atMost(
                            "50 tables, uniform: tables read with filters over those without",
                            (double) with.tables / without.tables,
                            0.05,
                            "%.4f"));
                }
            }
        }
        findings.add(table);
    }

    private record Walk(long tables, double pages, double nanos, long answered) {
        void addTo(ResultTable table, String questions, String filters, int count) {
            table.row(questions, filters, (double) tables / count, pages / count, nanos / count / 1_000, answered);
        }
    }

    private static Walk walk(DiskTables disk, long[] asked, @Nullable List<BloomFilter<Long>> filters) {
        long queries = disk.queries();
        double pages = DiskTables.pagesRead();
        long start = System.nanoTime();
        long answered = 0;
        for (long key : asked) {
            boolean found = false;
            for (int table = TABLES - 1; table >= 0 && !found; table--) {
                boolean perhaps = filters == null || filters.get(table).mightContain(key);
                found = perhaps && disk.find(table, key).isPresent();
            }
            answered += found ? 1 : 0;
        }
        double nanos = System.nanoTime() - start;
        return new Walk(disk.queries() - queries, DiskTables.pagesRead() - pages, nanos, answered);
    }

    private long[] questions(int count, boolean uniform) {
        double[] sums = new double[zipf.length];
        double sum = 0;
        for (int i = 0; i < sums.length; i++) {
            sum += uniform ? 1 : zipf[i];
            sums[i] = sum;
        }
        SplittableRandom random = new SplittableRandom(23);
        long[] questions = new long[count];
        for (int i = 0; i < count; i++) {
            int at = java.util.Arrays.binarySearch(sums, random.nextDouble() * sum);
            questions[i] = universe[Math.min(universe.length - 1, at < 0 ? -at - 1 : at + 1)];
        }
        return questions;
    }
}
