package dev.perhaps.bench.frequency;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.Contender;
import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.Fact;
import dev.perhaps.bench.Measure;
import dev.perhaps.bench.Results;
import dev.perhaps.bench.Rounds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Measures top lists: all are given the same stream in alternating rounds; then each is given other streams to measure
 * its recall.
 */
public final class TopContest {
    /** Streams of which the median is taken. */
    public static final int SEEDS = 11;

    private static final long WARM_UP_NANOS = 600_000_000;
    private static final int WARM_UP_CYCLES = 20;

    private final String title;
    private final List<Entrant<long[]>> entrants;
    private final Map<String, Contender<long[]>> filled = new HashMap<>();

    TopContest(String title, List<Entrant<long[]>> entrants) {
        this.title = title;
        this.entrants = entrants;
    }

    /** Runs every loop on few events until it is compiled. */
    void warmUp(Events few, BenchProgress progress) {
        for (Entrant<long[]> entrant : entrants) {
            progress.say(title + ", warming up: " + entrant.name());
            long start = System.nanoTime();
            for (int cycle = 0; cycle < WARM_UP_CYCLES || System.nanoTime() - start < WARM_UP_NANOS; cycle++) {
                entrant.addAll(entrant.maker().make(cycle), few.keys, few.keys.length);
            }
        }
    }

    void time(Events events, Rounds rounds, Results into) {
        List<Rounds.Turn> adding = new ArrayList<>();
        for (Entrant<long[]> entrant : entrants) {
            adding.add(new Rounds.Turn(
                    entrant.name(),
                    Measure.ADD,
                    events.keys.length,
                    () -> empty(entrant),
                    () -> fill(entrant, events)));
        }
        rounds.play(title, adding, into);
        filled.forEach((row, list) -> into.fact(row, Fact.BYTES, list.sizeBytes()));
        filled.clear();
    }

    private void empty(Entrant<long[]> entrant) {
        filled.remove(entrant.name());
        System.gc();
        filled.put(entrant.name(), entrant.maker().make(1));
    }

    private void fill(Entrant<long[]> entrant, Events events) {
        Contender<long[]> list = filled.get(entrant.name());
        if (list == null) {
            throw new IllegalStateException(entrant.name() + " was not made");
        }
        entrant.addAll(list, events.keys, events.keys.length);
    }

    /** The share of the true top that each finds in one stream. */
    void recall(Events events, int seed, Map<String, double[]> bySeed) {
        Set<Long> best = best(events, TopRows.K);
        for (Entrant<long[]> entrant : entrants) {
            TopList list = (TopList) entrant.maker().make(seed);
            entrant.addAll(list, events.keys, events.keys.length);
            int found = 0;
            for (long key : list.top(TopRows.K)) {
                found += best.contains(key) ? 1 : 0;
            }
            bySeed.computeIfAbsent(entrant.name(), row -> new double[SEEDS])[seed] = (double) found / TopRows.K;
        }
    }

    private static Set<Long> best(Events events, int k) {
        Set<Long> best = new HashSet<>();
        IntStream.range(0, events.distinct.length)
                .boxed()
                .sorted(Comparator.comparingInt(rank -> -events.counts[rank]))
                .limit(k)
                .forEach(rank -> best.add(events.distinct[rank]));
        return best;
    }
}
