package dev.perhaps.server.command;

import dev.perhaps.foreign.RedisBloom;
import dev.perhaps.foreign.RedisCountMin;
import dev.perhaps.foreign.RedisCuckoo;
import dev.perhaps.foreign.RedisTDigest;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.frequency.SlidingCounts;
import dev.perhaps.frequency.SlidingTopK;
import dev.perhaps.guard.CacheTally;
import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.server.keyspace.BloomValue;
import dev.perhaps.server.keyspace.CountMinValue;
import dev.perhaps.server.keyspace.CuckooValue;
import dev.perhaps.server.keyspace.GuardValue;
import dev.perhaps.server.keyspace.HashesValue;
import dev.perhaps.server.keyspace.LeakedHashesValue;
import dev.perhaps.server.keyspace.RingValue;
import dev.perhaps.server.keyspace.SketchValue;
import dev.perhaps.server.keyspace.TDigestValue;
import dev.perhaps.server.keyspace.TopKValue;
import dev.perhaps.server.keyspace.Value;
import dev.perhaps.similarity.index.DocumentIndex;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Sketch;

/**
 * How full a value is, and how wrong it may be: the same questions to every type. A number that a type does not have is
 * {@link #NONE} or {@code NaN}.
 *
 * @param kind which structure it is
 * @param items the items that it holds
 * @param capacity the items that it was planned for
 * @param fill the share of its bits, slots or places in use
 * @param errorPlanned the error that it was planned for
 * @param errorNow the error that it has
 * @param bound what that error means, in a sentence
 */
record ValueStats(
        String kind, long items, long capacity, double fill, double errorPlanned, double errorNow, String bound) {
    static final long NONE = -1;

    static ValueStats of(Value value, long nowMillis) {
        if (value instanceof BloomValue bloom) {
            RedisBloom filter = bloom.filter();
            double error = filter.errorNow();
            return new ValueStats(
                    "redis-bloom",
                    filter.count(),
                    filter.capacity(),
                    filter.load(),
                    filter.errorPlanned(),
                    error,
                    filterBound(error));
        }
        if (value instanceof CuckooValue cuckoo) {
            RedisCuckoo filter = cuckoo.filter();
            double error = filter.errorNow();
            return new ValueStats(
                    "redis-cuckoo",
                    filter.count(),
                    filter.slots(),
                    (double) filter.count() / filter.slots(),
                    filter.errorPlanned(),
                    error,
                    filterBound(error));
        }
        if (value instanceof CountMinValue counts) {
            return counts(counts.sketch());
        }
        if (value instanceof TopKValue top) {
            int size = top.list().list().size();
            return new ValueStats(
                    "redis-top",
                    size,
                    top.list().k(),
                    (double) size / top.list().k(),
                    Double.NaN,
                    Double.NaN,
                    "no bound: counts of items that others displace decay by chance");
        }
        if (value instanceof TDigestValue digest) {
            return digest(digest.digest());
        }
        if (value instanceof SketchValue sketch) {
            return of(sketch.sketch(), nowMillis);
        }
        if (value instanceof HashesValue hashes) {
            return new ValueStats(
                    "hashes",
                    hashes.count(),
                    NONE,
                    Double.NaN,
                    Double.NaN,
                    Double.NaN,
                    "not built yet: use FUSE.BUILD");
        }
        if (value instanceof RingValue ring) {
            return new ValueStats("ring", ring.weights().size(), NONE, Double.NaN, Double.NaN, Double.NaN, "exact");
        }
        if (value instanceof GuardValue guard) {
            CacheTally tally = guard.tally();
            double width = tally.hitRate().high() - tally.hitRate().low();
            return new ValueStats(
                    "guard",
                    tally.hits() + tally.misses(),
                    NONE,
                    Double.NaN,
                    Double.NaN,
                    width / 2,
                    "the hit rate is within " + percent(width / 2) + " of the estimate in 95 % of all cases");
        }
        if (value instanceof LeakedHashesValue hashes) {
            return new ValueStats("leaked-hashes", hashes.count(), NONE, Double.NaN, Double.NaN, Double.NaN, "exact");
        }
        return new ValueStats("string", 1, NONE, Double.NaN, Double.NaN, Double.NaN, "exact");
    }

    private static ValueStats of(Sketch sketch, long nowMillis) {
        String kind = sketch.kind().word();
        if (sketch instanceof Distinct<?> distinct) {
            double error = distinct.standardError();
            return new ValueStats(
                    kind,
                    Math.round(distinct.estimate()),
                    NONE,
                    Double.NaN,
                    error,
                    error,
                    "two of three estimates are within " + percent(error) + " of the truth");
        }
        if (sketch instanceof RangeCounts ranges) {
            double error = ranges.sizing().error();
            return new ValueStats(
                    kind,
                    ranges.total(),
                    NONE,
                    Double.NaN,
                    error,
                    error,
                    countBound(ranges.bound().error(), ranges.bound().confidence()));
        }
        if (sketch instanceof SlidingCounts<?> counts) {
            double error = counts.sizing().error();
            return new ValueStats(
                    kind,
                    counts.total(nowMillis),
                    NONE,
                    Double.NaN,
                    error,
                    error,
                    countBound(
                            counts.bound(nowMillis).error(),
                            counts.bound(nowMillis).confidence()));
        }
        if (sketch instanceof SlidingTopK<?> top) {
            return new ValueStats(
                    kind,
                    top.total(nowMillis),
                    NONE,
                    Double.NaN,
                    Double.NaN,
                    Double.NaN,
                    "counts are never too low, and too high by at most " + top.missed(nowMillis));
        }
        if (sketch instanceof DocumentIndex index) {
            double missed = 1 - index.banding().chance(index.banding().threshold());
            return new ValueStats(
                    kind,
                    index.size(),
                    NONE,
                    Double.NaN,
                    1 - index.recall(),
                    missed,
                    "misses " + percent(missed) + " of the documents at the threshold, fewer above it"
                            + (index.isExact() ? "" : "; similarities are estimates"));
        }
        HashFilter<?> filter = (HashFilter<?>) sketch;
        Description now =
                filter instanceof ExpiringBloom<?> expiring ? expiring.describe(nowMillis) : filter.describe();
        double error = number(now, "errorNow");
        return new ValueStats(
                kind,
                (long) number(now, "itemsNow"),
                (long) number(now, "itemsPlanned"),
                number(now, "load"),
                number(now, "errorPlanned"),
                error,
                filterBound(error));
    }

    static double number(Description description, String name) {
        for (Description.Fact fact : description.facts()) {
            if (fact.name().equals(name)) {
                return ((Number) fact.value()).doubleValue();
            }
        }
        return Double.NaN;
    }

    /** An estimate is above the count by 2/width of the total, or less, except with a chance of 2^−depth (Markov). */
    private static ValueStats counts(RedisCountMin sketch) {
        double error = 2.0 / sketch.width();
        double chance = Math.pow(0.5, sketch.depth());
        return new ValueStats(
                "redis-count",
                sketch.total(),
                NONE,
                Double.NaN,
                error,
                error,
                countBound(error * sketch.total(), 1 - chance));
    }

    private static String countBound(double error, double confidence) {
        return "estimates are never too low, and too high by at most " + (long) Math.floor(error) + " in "
                + percent(confidence) + " of all cases";
    }

    private static ValueStats digest(RedisTDigest digest) {
        return new ValueStats(
                "redis-tdigest",
                digest.count(),
                NONE,
                (double) (digest.mergedNodes() + digest.unmergedNodes()) / digest.capacity(),
                Double.NaN,
                Double.NaN,
                digest.count() <= digest.compression()
                        ? "exact"
                        : "no bound for every order of numbers; ranks near 0 and 1 are the most exact");
    }

    private static String filterBound(double error) {
        return "never 'no' to an item that it has, 'perhaps' to " + percent(error) + " of all others";
    }

    private static String percent(double share) {
        return BloomInfo.general(share * 100) + " %";
    }
}
