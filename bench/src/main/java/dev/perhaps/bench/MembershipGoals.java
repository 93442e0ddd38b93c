package dev.perhaps.bench;

import static dev.perhaps.bench.Fact.ADD_BYTES;
import static dev.perhaps.bench.Fact.BITS;
import static dev.perhaps.bench.Fact.ERROR;
import static dev.perhaps.bench.Fact.HEAP_TO_SIZE;
import static dev.perhaps.bench.Fact.LOOKUP_BYTES;
import static dev.perhaps.bench.Fact.SIZE_TO_PLAN;
import static dev.perhaps.bench.Measure.ADD;
import static dev.perhaps.bench.Measure.HIT;
import static dev.perhaps.bench.Measure.MISS;
import static dev.perhaps.bench.MembershipRows.BLOOM;
import static dev.perhaps.bench.MembershipRows.BLOOM_STRINGS;
import static dev.perhaps.bench.MembershipRows.FAST_BLOOM;
import static dev.perhaps.bench.MembershipRows.GUAVA;
import static dev.perhaps.bench.MembershipRows.GUAVA_STRINGS;

import dev.perhaps.bench.Goal.AtMost;
import dev.perhaps.bench.Goal.Faster;
import dev.perhaps.bench.Goal.Level;
import java.util.ArrayList;
import java.util.List;

/** What the filters are to reach: row, measure, peer, ratio; or row, fact, limit. */
final class MembershipGoals {
    /** Where a bulk build has to pay: far beyond any cache. */
    private static final int BULK_KEYS = 100_000_000;

    /** "Not a byte", with room for what the virtual machine allocates on the side in a million operations. */
    private static final double NO_BYTES = 0.01;

    private MembershipGoals() {}

    static List<Goal> of(int keys) {
        List<Goal> goals = new ArrayList<>(List.of(
                new AtMost(BLOOM, BITS, 9.6),
                new AtMost(BLOOM, ERROR, 0.01),
                new Faster(BLOOM, HIT, GUAVA, 3.5),
                new Faster(BLOOM, MISS, GUAVA, 3.5),
                new Level(BLOOM, HIT, FAST_BLOOM),
                new Level(BLOOM, MISS, FAST_BLOOM),
                new Faster(BLOOM, ADD, GUAVA, 5),
                new Faster(BLOOM_STRINGS, HIT, GUAVA_STRINGS, 3),
                new Faster(BLOOM_STRINGS, MISS, GUAVA_STRINGS, 3),
                new Faster(BLOOM_STRINGS, ADD, GUAVA_STRINGS, 3),
                new AtMost(BLOOM_STRINGS, LOOKUP_BYTES, NO_BYTES),
                new AtMost(BLOOM_STRINGS, ADD_BYTES, NO_BYTES)));
        if (keys >= BULK_KEYS) {
            goals.add(new Faster(Own.bulk(BLOOM), ADD, BLOOM, 3));
        }
        for (Own own : MembershipRows.ours()) {
            goals.add(new AtMost(own.name(), SIZE_TO_PLAN, 1));
            goals.add(new AtMost(own.name(), HEAP_TO_SIZE, 1.01));
        }
        return goals;
    }
}
