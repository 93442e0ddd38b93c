package dev.perhaps.membership;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Kind;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * One way to plan a filter, under test. The contract tests loop over all of them: a new kind, or a new mode of a kind, is
 * one line in {@link #all}.
 *
 * @param name what the test report calls it
 * @param leastShare how much of the asked error it uses at least when full: less is wasted memory
 */
public record Subject(String name, Kind kind, double leastShare, LongFunction<FilterPlan<Long>> plan) {
    private static final double BLOOMS = 0.9;
    private static final double WHOLE_BITS = 0.5;

    public static Stream<Subject> all() {
        return Stream.of(
                of("bloom", Kind.BLOOM, BLOOMS),
                of("bloom, concurrent", Kind.BLOOM, BLOOMS, plan -> ((BloomFilter.Plan<Long>) plan).concurrent()),
                of("blocked", Kind.BLOCKED, BLOOMS),
                of("blocked, concurrent", Kind.BLOCKED, BLOOMS, plan -> ((BlockedBloom.Plan<Long>) plan).concurrent()),
                of("fuse", Kind.FUSE, WHOLE_BITS),
                of("cuckoo", Kind.CUCKOO, WHOLE_BITS),
                of(
                        "cuckoo, concurrent",
                        Kind.CUCKOO,
                        WHOLE_BITS,
                        plan -> ((CuckooFilter.Plan<Long>) plan).concurrent()),
                of("cuckoo, 2 slots", Kind.CUCKOO, 0, plan -> ((CuckooFilter.Plan<Long>) plan).slots(2)),
                of("cuckoo, growing", Kind.CUCKOO, WHOLE_BITS / 2, plan -> ((CuckooFilter.Plan<Long>) plan).growing()),
                of("cuckoo set", Kind.CUCKOO, WHOLE_BITS, plan -> ((CuckooFilter.Plan<Long>) plan).asSet()),
                of(
                        "cuckoo set, growing, concurrent",
                        Kind.CUCKOO,
                        WHOLE_BITS / 2,
                        plan -> ((CuckooFilter.Plan<Long>) plan)
                                .asSet()
                                .growing()
                                .concurrent()),
                of("quotient", Kind.QUOTIENT, WHOLE_BITS),
                of("quotient, fuller", Kind.QUOTIENT, WHOLE_BITS, plan -> ((QuotientFilter.Plan<Long>) plan).load(0.9)),
                of("quotient set", Kind.QUOTIENT, WHOLE_BITS, plan -> ((QuotientFilter.Plan<Long>) plan).asSet()),
                of("scalable", Kind.SCALABLE, BLOOMS),
                // It keeps half of its error for what comes beyond the guess.
                of("scalable, guessed", Kind.SCALABLE, BLOOMS / 2, plan -> ((ScalableBloom.Plan<Long>) plan).guessed()),
                of("counting", Kind.COUNTING, BLOOMS),
                of("counting2", Kind.COUNTING2, BLOOMS),
                // Its plan has room for what is about to expire. The window is too long for anything to expire in a
                // test.
                of(
                        "expiring",
                        Kind.EXPIRING,
                        WHOLE_BITS,
                        plan -> ((ExpiringBloom.Plan<Long>) plan).within(Duration.ofDays(365_000))));
    }

    static Subject of(String name, Kind kind, double leastShare) {
        return of(name, kind, leastShare, plan -> plan);
    }

    static Subject of(String name, Kind kind, double leastShare, UnaryOperator<FilterPlan<Long>> mode) {
        return new Subject(
                name,
                kind,
                leastShare,
                items -> mode.apply(Perhaps.planFilter(kind, items).of(Key.longs())));
    }

    /** The filter of these hashes, planned for exactly as many. */
    HashFilter<Long> full(double error, long... hashes) {
        return plan.apply(hashes.length).falsePositives(error).buildFrom(Hashes.of(hashes));
    }

    /** Different hashes for different seeds, evenly spread. */
    public static long[] hashes(int count, long seed) {
        return new SplittableRandom(seed).longs(count).toArray();
    }

    @Override
    public String toString() {
        return name;
    }
}
