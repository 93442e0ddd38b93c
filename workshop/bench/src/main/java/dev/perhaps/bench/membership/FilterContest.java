package dev.perhaps.bench.membership;

import com.sun.management.ThreadMXBean;
import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.Contender;
import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.Fact;
import dev.perhaps.bench.FullException;
import dev.perhaps.bench.Keys;
import dev.perhaps.bench.Measure;
import dev.perhaps.bench.Results;
import dev.perhaps.bench.Rounds;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures filters on the same keys: first all are built in alternating rounds, then all are queried in alternating
 * rounds of short runs, and finally their errors and allocations are counted.
 */
final class FilterContest<K> {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long WARM_UP_NANOS = 600_000_000;
    private static final int WARM_UP_CYCLES = 20;

    private final String title;
    private final List<Entrant<K>> entrants;
    private final Keys<K> keys;
    private final Map<String, Contender<K>> built = new HashMap<>();

    FilterContest(String title, List<Entrant<K>> entrants, Keys<K> keys) {
        this.title = title;
        this.entrants = new ArrayList<>(entrants);
        this.keys = keys;
    }

    /** Runs every loop on few keys until it is compiled; hits and misses in turns, so that it is compiled for both. */
    void warmUp(Keys<K> few, BenchProgress progress, Results into) {
        for (Entrant<K> entrant : entrants) {
            progress.say(title + ", warming up: " + entrant.name());
            try {
                warmUp(entrant, few);
            } catch (FullException e) {
                into.failed(entrant.name(), e.reason());
            }
        }
        leaveOutFailed(into);
    }

    private static <K> void warmUp(Entrant<K> entrant, Keys<K> few) {
        long start = System.nanoTime();
        for (int cycle = 0; cycle < WARM_UP_CYCLES || System.nanoTime() - start < WARM_UP_NANOS; cycle++) {
            Contender<K> contender = entrant.maker().make(few.items());
            entrant.addAll(contender, few.added(), few.items());
            mustFindAll(entrant, contender, few);
            entrant.foundAll(contender, few.absent(), few.absentees());
        }
    }

    private void leaveOutFailed(Results results) {
        entrants.removeIf(entrant -> results.failure(entrant.name()).isPresent());
    }

    void run(Rounds rounds, BenchProgress progress, Results into) {
        rounds.play(title + ", adding", turnsToAdd(rounds, into), into);
        for (Entrant<K> entrant : entrants) {
            if (!built.containsKey(entrant.name())) {
                buildEmpty(entrant);
                entrant.addAll(contender(entrant), keys.added(), keys.items());
            }
        }
        leaveOutFailed(into);
        System.gc();
        rounds.play(title + ", asking", turnsToAsk(), into);
        progress.say(title + ", counting errors");
        for (Entrant<K> entrant : entrants) {
            if (entrant.measures().contains(Measure.MISS)) {
                count(entrant, into);
            }
        }
    }

    private List<Rounds.Turn> turnsToAdd(Rounds rounds, Results into) {
        List<Rounds.Turn> turns = new ArrayList<>();
        for (Entrant<K> entrant : entrants) {
            boolean unseen =
                    entrant.building() == Entrant.Building.AT_ONCE_BY_OTHER_THREADS && rounds.seesOneThreadOnly();
            if (entrant.measures().contains(Measure.ADD) && !unseen) {
                turns.add(new Rounds.Turn(
                        entrant.name(),
                        Measure.ADD,
                        keys.items(),
                        () -> buildEmpty(entrant),
                        () -> addAndCountBytes(entrant, into)));
            }
        }
        return turns;
    }

    private void buildEmpty(Entrant<K> entrant) {
        built.remove(entrant.name());
        System.gc();
        built.put(entrant.name(), entrant.maker().make(keys.items()));
    }

    private void addAndCountBytes(Entrant<K> entrant, Results into) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        entrant.addAll(contender(entrant), keys.added(), keys.items());
        if (!entrant.atOnce()) {
            double bytes = THREADS.getCurrentThreadAllocatedBytes() - before;
            into.fact(entrant.name(), Fact.ADD_BYTES, bytes / keys.items());
        }
    }

    private List<Rounds.Turn> turnsToAsk() {
        List<Rounds.Turn> turns = new ArrayList<>();
        for (Entrant<K> entrant : entrants) {
            Contender<K> contender = contender(entrant);
            int absentees = Math.min(keys.asks(), keys.absentees());
            if (entrant.measures().contains(Measure.HIT)) {
                turns.add(new Rounds.Turn(
                        entrant.name(),
                        Measure.HIT,
                        keys.asks(),
                        () -> {},
                        () -> mustFindAll(entrant, contender, keys)));
            }
            if (entrant.measures().contains(Measure.MISS)) {
                turns.add(new Rounds.Turn(
                        entrant.name(),
                        Measure.MISS,
                        absentees,
                        () -> {},
                        () -> mustMissSome(entrant, contender, absentees)));
            }
        }
        return turns;
    }

    private void mustMissSome(Entrant<K> entrant, Contender<K> contender, int absentees) {
        if (entrant.foundAll(contender, keys.absent(), absentees) == absentees) {
            throw new IllegalStateException(entrant.name() + " answers perhaps to everything");
        }
    }

    private static <K> void mustFindAll(Entrant<K> entrant, Contender<K> contender, Keys<K> keys) {
        int found = entrant.foundAll(contender, keys.asked(), keys.asks());
        if (found != keys.asks()) {
            throw new IllegalStateException(
                    entrant.name() + " lost " + (keys.asks() - found) + " of " + keys.asks() + " keys");
        }
    }

    private void count(Entrant<K> entrant, Results into) {
        Contender<K> contender = contender(entrant);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        mustFindAll(entrant, contender, keys);
        int wrong = entrant.foundAll(contender, keys.absent(), keys.absentees());
        double bytes = THREADS.getCurrentThreadAllocatedBytes() - before;
        into.fact(entrant.name(), Fact.LOOKUP_BYTES, bytes / ((double) keys.asks() + keys.absentees()));
        into.fact(entrant.name(), Fact.ERROR, (double) wrong / keys.absentees());
        into.fact(entrant.name(), Fact.BITS, contender.sizeBytes() * 8.0 / keys.items());
    }

    private Contender<K> contender(Entrant<K> entrant) {
        Contender<K> contender = built.get(entrant.name());
        if (contender == null) {
            throw new IllegalStateException(entrant.name() + " was not built");
        }
        return contender;
    }
}
