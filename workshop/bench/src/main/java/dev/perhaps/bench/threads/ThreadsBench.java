package dev.perhaps.bench.threads;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import com.google.common.hash.Funnels;
import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.BenchTable;
import dev.perhaps.bench.HostMachine;
import dev.perhaps.bench.Measure;
import dev.perhaps.bench.Options;
import dev.perhaps.bench.Report;
import dev.perhaps.bench.Results;
import dev.perhaps.bench.Rounds;
import dev.perhaps.bench.frequency.Events;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.frequency.SlidingCounts;
import dev.perhaps.frequency.SlidingTopK;
import dev.perhaps.frequency.TopK;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongBinaryOperator;
import java.util.function.Supplier;

/**
 * Compares the concurrent form of each structure with its plain form inside {@code synchronized}, with one thread and
 * with two, and where Guava has a counterpart also with that inside {@code synchronized}. One operation in four adds,
 * three look up. Then lookups in a filter that one process or two have mapped.
 */
public final class ThreadsBench {
    private static final long SEED = 1;
    private static final int[] THREADS = {1, 2};

    /**
     * One structure in both forms: what the n-th operation does with its key.
     *
     * @param guava what people who use Guava take for it, not safe for threads or not taken as such
     */
    private record Row(
            String name,
            Supplier<LongBinaryOperator> shared,
            Supplier<LongBinaryOperator> plain,
            Optional<Supplier<LongBinaryOperator>> guava) {
        Row(String name, Supplier<LongBinaryOperator> shared, Supplier<LongBinaryOperator> plain) {
            this(name, shared, plain, Optional.empty());
        }
    }

    private final Options options;
    private final BenchProgress progress;
    private final Results results = new Results();
    private final Report report = new Report(results);
    private final long[] keys;
    private final LongAdder answers = new LongAdder();

    private ThreadsBench(Options options, BenchProgress progress) {
        this.options = options;
        this.progress = progress;
        progress.say("drawing the keys");
        this.keys = Events.zipf(options.keys(), Events.DISTINCT, Events.EXPONENT, SEED).keys;
    }

    public static Report run(Options options, BenchProgress progress) {
        return new ThreadsBench(options, progress).run();
    }

    private Report run() {
        report.command(options.command());
        report.line(LocalDate.now(ZoneOffset.UTC) + "; " + HostMachine.describe() + "; " + options.rounds()
                + " rounds, " + options.clock());
        report.line(
                Figures.count(options.keys()) + " operations on longs of Zipf(" + Events.EXPONENT
                        + "): of four, one adds and three ask (Distinct: all add); nanoseconds of the clock on the wall per operation of all threads");
        List<Row> rows =
                rows().stream().filter(row -> options.wants(row.name())).toList();
        List<Rounds.Turn> turns = new ArrayList<>();
        for (Row row : rows) {
            for (int threads : THREADS) {
                turns.add(turn(shared(row, threads), threads, row.shared()));
                turns.add(turn(locked(row, threads), threads, inTurns(row.plain())));
                row.guava().ifPresent(guava -> turns.add(turn(guava(row, threads), threads, inTurns(guava))));
            }
        }
        new Rounds(options.rounds(), SEED, options.clock(), progress).play("sharing", turns, results);
        if (answers.sum() == 0) {
            throw new IllegalStateException("the answers were left out");
        }
        for (int threads : THREADS) {
            report.heading(threads == 1 ? "One thread" : threads + " threads");
            report.table(times(rows, threads));
        }
        List<Row> beside = rows.stream().filter(row -> row.guava().isPresent()).toList();
        if (!beside.isEmpty()) {
            report.heading("Beside Guava inside synchronized");
            report.table(guava(beside));
            report.line(
                    "BloomFilter: Guava's BloomFilter of the same error. CountMin: Guava's HashMultiset, which counts exactly and"
                            + " keeps every key. Last column: the same work by two threads and by one.");
        }
        if (options.wants(MappedReaders.ROW)) {
            try (MappedReaders readers = MappedReaders.start(keys)) {
                readers.play(options, progress, results, report);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        progress.say("done");
        return report;
    }

    /** An operation of which only one runs at a time. */
    private static Supplier<LongBinaryOperator> inTurns(Supplier<LongBinaryOperator> maker) {
        return () -> {
            LongBinaryOperator plain = maker.get();
            Object lock = new Object();
            return (key, n) -> {
                synchronized (lock) {
                    return plain.applyAsLong(key, n);
                }
            };
        };
    }

    private BenchTable guava(List<Row> rows) {
        BenchTable table = new BenchTable(
                "", "threads", "concurrent ns", "Guava ns", "times as fast", "as fast as with one thread");
        for (Row row : rows) {
            for (int threads : THREADS) {
                String shared = shared(row, threads);
                table.row(
                        row.name(),
                        Integer.toString(threads),
                        report.nanos(shared, Measure.ADD),
                        report.nanos(guava(row, threads), Measure.ADD),
                        report.ratio(shared, Measure.ADD, guava(row, threads)),
                        threads == 1 ? Report.NOTHING : report.ratio(shared, Measure.ADD, shared(row, 1)));
            }
        }
        return table;
    }

    private static String guava(Row row, int threads) {
        return row.name() + ", Guava, synchronized, " + threads;
    }

    /** The times of threads that share the concurrent form of a structure, and of threads that lock the plain one. */
    private BenchTable times(List<Row> rows, int threads) {
        BenchTable table = new BenchTable("", "concurrent ns", "synchronized ns", "times as fast");
        for (Row row : rows) {
            String shared = shared(row, threads);
            String locked = locked(row, threads);
            table.row(
                    row.name(),
                    report.nanos(shared, Measure.ADD),
                    report.nanos(locked, Measure.ADD),
                    report.ratio(shared, Measure.ADD, locked));
        }
        return table;
    }

    private static String shared(Row row, int threads) {
        return row.name() + ", concurrent, " + threads;
    }

    private static String locked(Row row, int threads) {
        return row.name() + ", synchronized, " + threads;
    }

    private Rounds.Turn turn(String name, int threads, Supplier<LongBinaryOperator> maker) {
        LongBinaryOperator[] made = {(key, n) -> 0};
        return new Rounds.Turn(
                name, Measure.ADD, keys.length, () -> made[0] = maker.get(), () -> all(made[0], threads));
    }

    /** Every thread takes a part of the keys; they begin together. */
    private void all(LongBinaryOperator operation, int threads) {
        CountDownLatch start = new CountDownLatch(threads);
        List<Thread> running = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int from = (int) ((long) keys.length * t / threads);
            int to = (int) ((long) keys.length * (t + 1) / threads);
            Thread thread = new Thread(() -> {
                start.countDown();
                try {
                    start.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException("a benchmark is not to be interrupted", e);
                }
                long sum = 0;
                for (int i = from; i < to; i++) {
                    sum += operation.applyAsLong(keys[i], i);
                }
                answers.add(sum);
            });
            thread.start();
            running.add(thread);
        }
        for (Thread thread : running) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException("a benchmark is not to be interrupted", e);
            }
        }
    }

    private static List<Row> rows() {
        int items = Events.DISTINCT;
        BloomFilter.Plan<Long> bloom = BloomFilter.expecting(items).of(Key.longs());
        BlockedBloom.Plan<Long> blocked = BlockedBloom.expecting(items).of(Key.longs());
        CuckooFilter.Plan<Long> cuckoo = CuckooFilter.expecting(4L * items).of(Key.longs());
        CountMin.Plan<Long> counts = CountMin.within(0.001).of(Key.longs());
        Distinct.Plan<Long> distinct = Distinct.within(0.01).of(Key.longs());
        TopK.Plan<Long> top = TopK.of(100).of(Key.longs());
        SlidingCounts.Plan<Long> sliding =
                SlidingCounts.last(Duration.ofMinutes(10)).of(Key.longs());
        SlidingTopK.Plan<Long> slidingTop =
                SlidingTopK.last(Duration.ofMinutes(10)).of(Key.longs());
        return List.of(
                new Row(
                        "BloomFilter",
                        () -> filter(bloom.concurrent().build()),
                        () -> filter(bloom.build()),
                        Optional.of(() -> guavaFilter(items))),
                new Row("BlockedBloom", () -> filter(blocked.concurrent().build()), () -> filter(blocked.build())),
                new Row("CuckooFilter", () -> filter(cuckoo.concurrent().build()), () -> filter(cuckoo.build())),
                new Row(
                        "CountMin",
                        () -> count(counts.concurrent().build()),
                        () -> count(counts.build()),
                        Optional.of(ThreadsBench::guavaCounts)),
                new Row("Distinct", () -> distinct(distinct.concurrent().build()), () -> distinct(distinct.build())),
                new Row("TopK", () -> top(top.concurrent().build()), () -> top(top.build())),
                new Row("SlidingCounts", () -> sliding(sliding.concurrent().build()), () -> sliding(sliding.build())),
                new Row(
                        "SlidingTopK",
                        () -> sliding(slidingTop.concurrent().build()),
                        () -> sliding(slidingTop.build())));
    }

    private static LongBinaryOperator filter(HashFilter.Adds<Long> filter) {
        return (key, n) -> {
            long hash = Key.longs().hash(key);
            if ((n & 3) != 0) {
                return filter.mightContainHash(hash) ? 1 : 0;
            }
            return filter.mightContainHash(hash) || filter.addHash(hash).isNew() ? 1 : 0;
        };
    }

    private static LongBinaryOperator guavaFilter(int items) {
        com.google.common.hash.BloomFilter<Long> filter =
                com.google.common.hash.BloomFilter.create(Funnels.longFunnel(), items, 0.01);
        return (key, n) -> {
            if ((n & 3) != 0) {
                return filter.mightContain(key) ? 1 : 0;
            }
            return filter.mightContain(key) || filter.put(key) ? 1 : 0;
        };
    }

    private static LongBinaryOperator guavaCounts() {
        Multiset<Long> counts = HashMultiset.create();
        return (key, n) -> {
            if ((n & 3) != 0) {
                return counts.count(key);
            }
            counts.add(key);
            return 0;
        };
    }

    private static LongBinaryOperator distinct(Distinct<Long> distinct) {
        return (key, n) -> {
            distinct.addHash(Key.longs().hash(key));
            return 0;
        };
    }

    private static LongBinaryOperator count(CountMin<Long> counts) {
        return (key, n) -> {
            long hash = Key.longs().hash(key);
            if ((n & 3) != 0) {
                return counts.estimateHash(hash);
            }
            counts.addHash(hash, 1);
            return 0;
        };
    }

    private static LongBinaryOperator top(TopK<Long> top) {
        return (key, n) -> {
            if ((n & 3) != 0) {
                return top.atMost(key);
            }
            top.add(key);
            return 0;
        };
    }

    private static LongBinaryOperator sliding(SlidingCounts<Long> counts) {
        return (key, n) -> {
            if ((n & 3) != 0) {
                return counts.estimateHash(key);
            }
            counts.addHash(key, 1, 1);
            return 0;
        };
    }

    private static LongBinaryOperator sliding(SlidingTopK<Long> top) {
        return (key, n) -> {
            if ((n & 3) != 0) {
                return top.atMost(key);
            }
            top.add(key, 1, 1);
            return 0;
        };
    }
}
