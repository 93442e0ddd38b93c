package dev.perhaps.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Times contenders in alternating rounds: each round runs every turn once, in a newly shuffled order. A machine that
 * slows down for a while slows all of them, so that a ratio within a round does not change. The first round is not
 * counted. A row that throws a {@link FullException} has no more turns and no times; the results say that it failed.
 */
public final class Rounds {
    /**
     * One timed run.
     *
     * @param before runs first and is not timed
     */
    public record Turn(String row, Measure measure, long operations, Runnable before, Runnable run) {}

    private final int count;
    private final long seed;
    private final Clock clock;
    private final BenchProgress progress;

    public Rounds(int count, long seed, Clock clock, BenchProgress progress) {
        this.count = count;
        this.seed = seed;
        this.clock = clock;
        this.progress = progress;
    }

    /** True if the clock sees only the thread that runs the turns. */
    public boolean seesOneThreadOnly() {
        return clock == Clock.CPU;
    }

    public void play(String title, List<Turn> turns, Results into) {
        double[][] nanos = new double[turns.size()][count];
        List<Integer> order = new ArrayList<>();
        for (int turn = 0; turn < turns.size(); turn++) {
            order.add(turn);
        }
        Map<String, String> full = new LinkedHashMap<>();
        Random random = new Random(seed);
        for (int round = -1; round < count; round++) {
            progress.say(round < 0 ? title + ", to warm up" : title + ", round " + (round + 1) + " of " + count);
            Collections.shuffle(order, random);
            System.gc();
            for (int turn : order) {
                String row = turns.get(turn).row();
                if (full.containsKey(row)) {
                    continue;
                }
                try {
                    double time = time(turns.get(turn));
                    if (round >= 0) {
                        nanos[turn][round] = time;
                    }
                } catch (FullException e) {
                    full.put(row, e.reason());
                }
            }
        }
        full.forEach(into::failed);
        for (int turn = 0; turn < turns.size(); turn++) {
            if (!full.containsKey(turns.get(turn).row())) {
                into.time(turns.get(turn).row(), turns.get(turn).measure(), nanos[turn]);
            }
        }
    }

    private double time(Turn turn) {
        turn.before().run();
        long start = clock.nanos();
        turn.run().run();
        return (double) (clock.nanos() - start) / turn.operations();
    }
}
