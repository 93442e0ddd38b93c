package dev.perhaps.membership.fuse;

import dev.perhaps.hash.Mix;
import java.util.Arrays;

/** The mixed hashes of all items, in the order of their first segments: the first step of {@link FuseBuild}. */
final class FuseOrder {
    private final FuseShape shape;
    private final long[] mixed;

    /** Those of segment s are [from[s], from[s + 1]). */
    private final int[] from;

    private int count;

    private FuseOrder(FuseShape shape, long[] mixed, int[] from) {
        this.shape = shape;
        this.mixed = mixed;
        this.from = from;
        this.count = mixed.length;
    }

    static FuseOrder of(FuseIntake intake, FuseShape shape, long multiplier) {
        return of(intake.hashes(), intake.count(), shape, multiplier);
    }

    /** A counting sort: every part counts its items in each segment, and then knows where to put them. */
    private static FuseOrder of(long[] hashes, int count, FuseShape shape, long multiplier) {
        int parts = Parts.of(count);
        int[][] next = new int[parts][];
        Parts.run(parts, parts, part -> {
            int start = Parts.share(count, part, parts);
            int end = Parts.share(count, part + 1, parts);
            next[part] = histogram(hashes, start, end, shape, multiplier);
        });
        int[] from = new int[shape.firstSegments() + 1];
        int at = 0;
        for (int s = 0; s < shape.firstSegments(); s++) {
            from[s] = at;
            for (int[] ofPart : next) {
                int ofSegment = ofPart[s];
                ofPart[s] = at;
                at += ofSegment;
            }
        }
        from[shape.firstSegments()] = at;
        long[] mixed = new long[count];
        Parts.run(parts, parts, part -> {
            int start = Parts.share(count, part, parts);
            int end = Parts.share(count, part + 1, parts);
            scatter(hashes, start, end, shape, multiplier, next[part], mixed);
        });
        return new FuseOrder(shape, mixed, from);
    }

    private static int[] histogram(long[] hashes, int start, int end, FuseShape shape, long multiplier) {
        int[] counts = new int[shape.firstSegments()];
        long starts = shape.starts();
        int bits = shape.segmentBits();
        for (int i = start; i < end; i++) {
            counts[FuseShape.first(hashes[i] * multiplier, starts) >>> bits]++;
        }
        return counts;
    }

    private static void scatter(
            long[] hashes, int start, int end, FuseShape shape, long multiplier, int[] next, long[] mixed) {
        long starts = shape.starts();
        int bits = shape.segmentBits();
        for (int i = start; i < end; i++) {
            long x = Mix.with(multiplier, hashes[i]);
            mixed[next[FuseShape.first(x, starts) >>> bits]++] = x;
        }
    }

    int count() {
        return count;
    }

    /** The hashes, {@link #count} of them. */
    long[] mixed() {
        return mixed;
    }

    /** Where the hashes of a segment begin. */
    int from(int segment) {
        return from[segment];
    }

    /** True if a hash is repeated among those of the first segment: a cheap look before the first try. */
    boolean showsRepeated() {
        long[] some = Arrays.copyOfRange(mixed, from[0], from[1]);
        Arrays.sort(some);
        return FuseIntake.withoutRepeated(some, 0, some.length) < some.length;
    }

    /** Leaves every hash once; false if that changed nothing. */
    boolean removeRepeated() {
        int segments = from.length - 1;
        int[] end = new int[segments];
        int parts = Parts.of(count);
        Parts.run(parts, parts, part -> {
            for (int s = Parts.share(segments, part, parts); s < Parts.share(segments, part + 1, parts); s++) {
                Arrays.sort(mixed, from[s], from[s + 1]);
                end[s] = FuseIntake.withoutRepeated(mixed, from[s], from[s + 1]);
            }
        });
        int before = count;
        count = 0;
        for (int s = 0; s < segments; s++) {
            int length = end[s] - from[s];
            System.arraycopy(mixed, from[s], mixed, count, length);
            from[s] = count;
            count += length;
        }
        from[segments] = count;
        return count < before;
    }

    /** The same hashes for another try; this object is of no use afterwards. */
    FuseOrder mixedWith(long multiplierSoFar, long multiplier) {
        // Newton's iteration for 1/m mod 2^64: m is its own inverse in the lowest three bits, and each step doubles
        // them.
        long inverse = multiplierSoFar;
        for (int rightBits = 3; rightBits < Long.SIZE; rightBits *= 2) {
            inverse *= 2 - multiplierSoFar * inverse;
        }
        for (int i = 0; i < count; i++) {
            mixed[i] = (mixed[i] ^ (mixed[i] >>> 32)) * inverse;
        }
        return of(mixed, count, shape, multiplier);
    }
}
