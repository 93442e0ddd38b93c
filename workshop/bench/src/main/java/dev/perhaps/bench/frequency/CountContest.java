package dev.perhaps.bench.frequency;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.Contender;
import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.Fact;
import dev.perhaps.bench.Measure;
import dev.perhaps.bench.Results;
import dev.perhaps.bench.Rounds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures sketches of counts on the same stream: first all of them count it in alternating rounds, then all are
 * queried in alternating rounds, and finally it is counted again with other seeds to measure the over-counts.
 */
public final class CountContest {
    /** Seeds of which the median is taken. */
    public static final int SEEDS = 21;

    private static final int FIRST_SEED = 1_000;
    private static final long WARM_UP_NANOS = 600_000_000;
    private static final int WARM_UP_CYCLES = 20;

    private final String title;
    private final List<Entrant<long[]>> entrants;
    private final Events events;
    private final Map<String, Contender<long[]>> filled = new HashMap<>();

    CountContest(String title, List<Entrant<long[]>> entrants, Events events) {
        this.title = title;
        this.entrants = entrants;
        this.events = events;
    }

    /** Runs every loop on few events until it is compiled. */
    void warmUp(Events few, BenchProgress progress) {
        for (Entrant<long[]> entrant : entrants) {
            progress.say(title + ", warming up: " + entrant.name());
            long start = System.nanoTime();
            for (int cycle = 0; cycle < WARM_UP_CYCLES || System.nanoTime() - start < WARM_UP_NANOS; cycle++) {
                Contender<long[]> contender = entrant.maker().make(cycle);
                entrant.addAll(contender, few.keys, few.keys.length);
                ask(entrant, contender, few);
            }
        }
    }

    void run(Rounds rounds, BenchProgress progress, Results into) {
        List<Rounds.Turn> adding = new ArrayList<>();
        List<Rounds.Turn> asking = new ArrayList<>();
        for (Entrant<long[]> entrant : entrants) {
            String row = entrant.name();
            adding.add(new Rounds.Turn(
                    row,
                    Measure.ADD,
                    events.keys.length,
                    () -> empty(entrant),
                    () -> entrant.addAll(contender(row), events.keys, events.keys.length)));
            asking.add(new Rounds.Turn(
                    row, Measure.ESTIMATE, events.asked.length, () -> {}, () -> ask(entrant, contender(row), events)));
        }
        rounds.play(title + ", adding", adding, into);
        rounds.play(title + ", asking", asking, into);
        for (Entrant<long[]> entrant : entrants) {
            progress.say(title + ", counting errors: " + entrant.name());
            into.fact(entrant.name(), Fact.BYTES, contender(entrant.name()).sizeBytes());
            filled.remove(entrant.name());
            overCounts(entrant, into);
        }
    }

    private void empty(Entrant<long[]> entrant) {
        filled.remove(entrant.name());
        System.gc();
        filled.put(entrant.name(), entrant.maker().make(1));
    }

    private static void ask(Entrant<long[]> entrant, Contender<long[]> contender, Events events) {
        int found = entrant.foundAll(contender, events.asked, events.asked.length);
        if (found != events.asked.length) {
            throw new IllegalStateException(entrant.name() + " counts less than there was");
        }
    }

    /** Estimate less truth of every key that came: their mean and their maximum, for each seed. */
    private void overCounts(Entrant<long[]> entrant, Results into) {
        double[] means = new double[SEEDS];
        double[] maxima = new double[SEEDS];
        for (int seed = 0; seed < SEEDS; seed++) {
            EventCounts tally = (EventCounts) entrant.maker().make(FIRST_SEED + seed);
            entrant.addAll(tally, events.keys, events.keys.length);
            long came = 0;
            long sum = 0;
            long most = 0;
            for (int rank = 0; rank < events.distinct.length; rank++) {
                if (events.counts[rank] > 0) {
                    long over = tally.estimate(events.distinct[rank]) - events.counts[rank];
                    if (over < 0) {
                        throw new IllegalStateException(entrant.name() + " counts less than there was");
                    }
                    came++;
                    sum += over;
                    most = Math.max(most, over);
                }
            }
            means[seed] = (double) sum / came;
            maxima[seed] = most;
        }
        into.fact(entrant.name(), Fact.MEAN_OVER, means);
        into.fact(entrant.name(), Fact.MAX_OVER, maxima);
    }

    private Contender<long[]> contender(String row) {
        Contender<long[]> contender = filled.get(row);
        if (contender == null) {
            throw new IllegalStateException(row + " was not filled");
        }
        return contender;
    }
}
