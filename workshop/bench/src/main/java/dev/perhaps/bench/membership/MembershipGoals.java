package dev.perhaps.bench.membership;

import static dev.perhaps.bench.Fact.ADD_BYTES;
import static dev.perhaps.bench.Fact.BITS;
import static dev.perhaps.bench.Fact.ERROR;
import static dev.perhaps.bench.Fact.HEAP_TO_SIZE;
import static dev.perhaps.bench.Fact.LOOKUP_BYTES;
import static dev.perhaps.bench.Fact.SIZE_OFF_PLAN;
import static dev.perhaps.bench.Measure.ADD;
import static dev.perhaps.bench.Measure.HIT;
import static dev.perhaps.bench.Measure.MERGE;
import static dev.perhaps.bench.Measure.MISS;
import static dev.perhaps.bench.membership.MembershipRows.BLOCKED_STRING_BATCHES;
import static dev.perhaps.bench.membership.MembershipRows.BLOCKED_UTF16_BATCHES;
import static dev.perhaps.bench.membership.MembershipRows.BLOOM_STRINGS;
import static dev.perhaps.bench.membership.MembershipRows.BLOOM_STRING_BATCHES;
import static dev.perhaps.bench.membership.MembershipRows.BLOOM_UTF16_BATCHES;
import static dev.perhaps.bench.membership.MembershipRows.FAST_BLOCKED_12;
import static dev.perhaps.bench.membership.MembershipRows.FAST_BLOCKED_20;
import static dev.perhaps.bench.membership.MembershipRows.FAST_BLOOM;
import static dev.perhaps.bench.membership.MembershipRows.FAST_CUCKOO_16;
import static dev.perhaps.bench.membership.MembershipRows.FAST_XOR_8;
import static dev.perhaps.bench.membership.MembershipRows.GUAVA;
import static dev.perhaps.bench.membership.MembershipRows.GUAVA_STRINGS;
import static dev.perhaps.bench.membership.MembershipRows.REFERENCE;
import static dev.perhaps.bench.membership.MembershipRows.STRING_REFERENCE;

import dev.perhaps.bench.Goal;
import dev.perhaps.bench.Goal.AtMost;
import dev.perhaps.bench.Goal.Faster;
import dev.perhaps.bench.Goal.Level;
import dev.perhaps.bench.Options;
import java.util.ArrayList;
import java.util.List;

/** The goals of the filters: row, measure, peer, ratio; or row, fact, limit. */
final class MembershipGoals {
    /** Where a bulk build has to pay: far beyond any cache. */
    private static final int BULK_KEYS = 100_000_000;

    /** "Not a byte", with room for what the virtual machine allocates on the side in a million operations. */
    private static final double NO_BYTES = 0.01;

    /** How many times the time of the reference a lookup may take, of one word or of a string. */
    private static final double REFERENCE_DISTANCE = 1.3;

    private static final String BLOOM = MembershipRows.BLOOM.name();
    private static final String BLOCKED_12 = MembershipRows.BLOCKED_12.name();
    private static final String BLOCKED_16 = MembershipRows.BLOCKED_16.name();
    private static final String FUSE = MembershipRows.FUSE.name();
    private static final String CUCKOO = MembershipRows.CUCKOO.name();
    private static final String QUOTIENT = MembershipRows.QUOTIENT.name();

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
                new AtMost(BLOCKED_12, BITS, 12),
                new AtMost(BLOCKED_12, ERROR, 0.0055),
                new Level(BLOCKED_12, HIT, FAST_BLOCKED_12),
                new Level(BLOCKED_12, MISS, FAST_BLOCKED_12),
                new AtMost(BLOCKED_16, BITS, 16),
                new AtMost(BLOCKED_16, ERROR, 0.0016),
                new Faster(BLOCKED_16, HIT, FAST_BLOCKED_20, 1.1),
                new Faster(BLOCKED_16, MISS, FAST_BLOCKED_20, 1.1),
                new Faster(CUCKOO, HIT, FAST_CUCKOO_16, 1.3),
                new Faster(CUCKOO, MISS, FAST_CUCKOO_16, 1.3),
                new AtMost(FUSE, BITS, 9.05),
                new AtMost(FUSE, ERROR, 1 / 256.0),
                new Level(FUSE, HIT, FAST_XOR_8),
                new Level(FUSE, MISS, FAST_XOR_8),
                new Faster(OwnRow.oneThread(FUSE), ADD, FAST_XOR_8, 1.5),
                new Faster(FUSE, ADD, OwnRow.oneThread(FUSE), 1),
                new Faster(QUOTIENT, HIT, GUAVA, 2),
                new Faster(QUOTIENT, MISS, GUAVA, 2),
                new Faster(QUOTIENT, ADD, GUAVA, 3),
                new Faster(
                        OwnRow.merged(QUOTIENT), MERGE, OwnRow.addedAgain(QUOTIENT), keys > Options.QUICK_KEYS ? 5 : 3),
                new Faster(BLOOM_STRINGS, HIT, GUAVA_STRINGS, 3),
                new Faster(BLOOM_STRINGS, MISS, GUAVA_STRINGS, 3),
                new Faster(BLOOM_STRINGS, ADD, GUAVA_STRINGS, 3),
                new AtMost(BLOOM_STRINGS, LOOKUP_BYTES, NO_BYTES),
                new AtMost(BLOOM_STRINGS, ADD_BYTES, NO_BYTES)));
        double batches = keys > Options.QUICK_KEYS ? 2 : 3;
        for (String row : List.of(BLOOM_STRING_BATCHES, BLOOM_UTF16_BATCHES)) {
            goals.add(new Faster(row, HIT, GUAVA_STRINGS, batches));
            goals.add(new Faster(row, MISS, GUAVA_STRINGS, batches));
        }
        goals.add(new Faster(BLOCKED_12, HIT, REFERENCE, 1 / REFERENCE_DISTANCE));
        goals.add(new Faster(BLOCKED_12, MISS, REFERENCE, 1 / REFERENCE_DISTANCE));
        for (String row : List.of(BLOOM_STRING_BATCHES, BLOCKED_STRING_BATCHES, BLOCKED_UTF16_BATCHES)) {
            goals.add(new Faster(row, HIT, STRING_REFERENCE, 1 / REFERENCE_DISTANCE));
            goals.add(new Faster(row, MISS, STRING_REFERENCE, 1 / REFERENCE_DISTANCE));
        }
        if (keys > Options.QUICK_KEYS) {
            for (OwnRow own : MembershipRows.inBatches()) {
                goals.add(new Faster(OwnRow.batches(own.name()), HIT, own.name(), 1.3));
                goals.add(new Faster(OwnRow.batches(own.name()), MISS, own.name(), 1.3));
            }
            goals.add(new Faster(OwnRow.batches(CUCKOO), MISS, FAST_CUCKOO_16, 1.3));
            goals.addAll(bulk(keys));
        }
        for (OwnRow own : MembershipRows.ours()) {
            goals.add(new AtMost(own.name(), SIZE_OFF_PLAN, 0));
            goals.add(new AtMost(own.name(), HEAP_TO_SIZE, 1.01));
        }
        return goals;
    }

    /** The goals of bulk builds: on few keys the array is in the cache, and one by one is as fast. */
    static List<Goal> bulk(int keys) {
        List<Goal> goals = new ArrayList<>();
        if (keys > Options.QUICK_KEYS) {
            goals.add(new Faster(OwnRow.bulk(BLOOM), ADD, BLOOM, keys >= BULK_KEYS ? 3 : 2));
        }
        if (keys >= BULK_KEYS) {
            goals.add(new Faster(OwnRow.bulk(BLOCKED_12), ADD, BLOCKED_12, 3));
            goals.add(new Faster(FUSE, ADD, GUAVA, 3));
        }
        return goals;
    }
}
