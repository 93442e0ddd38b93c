package dev.perhaps.bench.membership;

import dev.perhaps.bench.Contender;
import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.Keys;
import dev.perhaps.bench.Measure;
import dev.perhaps.bench.Results;
import dev.perhaps.bench.Rounds;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.sketch.Mergeable;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares merging one filter into another with adding the keys of the other one by one: each filter has half of the
 * keys and is planned for all of them.
 */
final class MergeBench {
    private static final int WARM_UP_ITEMS = 100_000;
    private static final long WARM_UP_NANOS = 1_500_000_000;

    private final Entrant<long[]> oneByOne;
    private final int items;
    private final long[] leftKeys;
    private final long[] rightKeys;
    private final HashFilter<Long> left;
    private final HashFilter<Long> right;

    private HashFilter<Long> target;
    private Contender<long[]> contender;

    private MergeBench(OwnRow own, int items, long[] leftKeys, long[] rightKeys) {
        this.oneByOne = own.oneByOne();
        this.items = items;
        this.leftKeys = leftKeys;
        this.rightKeys = rightKeys;
        this.left = own.plan().apply(items).buildFrom(new OurLoops.Hashed(leftKeys, 0, leftKeys.length));
        this.right = own.plan().apply(items).buildFrom(new OurLoops.Hashed(rightKeys, 0, rightKeys.length));
        this.target = left;
        this.contender = oneByOne.maker().make(items);
    }

    static void measure(List<OwnRow> ours, int items, Rounds rounds, Results into) {
        long[] leftKeys = Keys.longs(items / 2, items / 2).added();
        long[] rightKeys = Keys.longs(items / 2, items / 2).absent();
        List<Rounds.Turn> turns = new ArrayList<>();
        for (OwnRow own : ours) {
            warmUp(own);
            MergeBench of = new MergeBench(own, items, leftKeys, rightKeys);
            turns.add(new Rounds.Turn(
                    OwnRow.merged(own.name()), Measure.MERGE, rightKeys.length, of::copyLeft, of::merge));
            turns.add(new Rounds.Turn(
                    OwnRow.addedAgain(own.name()), Measure.MERGE, rightKeys.length, of::addLeft, of::addRight));
        }
        rounds.play("merging", turns, into);
    }

    /** A run merges few times: without this, the first half of its rounds would measure the compiler. */
    private static void warmUp(OwnRow own) {
        Keys<long[]> few = Keys.longs(WARM_UP_ITEMS / 2, WARM_UP_ITEMS / 2);
        MergeBench of = new MergeBench(own, WARM_UP_ITEMS, few.added(), few.absent());
        long start = System.nanoTime();
        while (System.nanoTime() - start < WARM_UP_NANOS) {
            of.target = of.left.copy();
            of.merge();
            of.contender = of.oneByOne.maker().make(WARM_UP_ITEMS);
            of.oneByOne.addAll(of.contender, of.leftKeys, of.leftKeys.length);
            of.addRight();
        }
    }

    private void copyLeft() {
        target = left.copy();
        System.gc();
    }

    @SuppressWarnings("unchecked") // a kind that merges, merges with its own kind
    private void merge() {
        ((Mergeable<HashFilter<Long>>) target).merge(right);
    }

    private void addLeft() {
        contender = oneByOne.maker().make(items);
        oneByOne.addAll(contender, leftKeys, leftKeys.length);
        System.gc();
    }

    private void addRight() {
        oneByOne.addAll(contender, rightKeys, rightKeys.length);
    }
}
