package dev.perhaps.membership.fuse;

import dev.perhaps.key.Hashes;
import dev.perhaps.membership.FuseFilter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds the fingerprints of a {@link FuseFilter}: slots such that the three of every item xor to its fingerprint. Uses
 * all threads of the fork-join pool it is called in, or of the common one; the result does not depend on how many those
 * are, on the order of the hashes, or on how often each was given. Confined to the thread that calls it.
 */
public final class FuseBuild {
    /*
     * Peeling [1]. A slot that only one item uses can be set last and then make that item come out right, whatever the
     * others are: take slot and item away, and go on. When all items are gone, set the slots in reverse. A slot need
     * know only how many items use it and the xor of their hashes; when one is left, the xor is its hash.
     *
     *     hashes ──by first segment──> sum and uses of each slot ──peel──> slots as taken ──in reverse──> fingerprints
     *
     * Cache. With the items ordered by their first segment, neighbours in the list use slots that are near in memory,
     * and the peeling runs over the slots as a wave a few segments wide. The queue is first in, first out (half again
     * as fast as a stack, measured: entries that wait are independent, so the processor works on several at once), and
     * slots are scanned into it only when it has run dry, so that it stays near the wave. Whether a slot is still to be
     * taken when its turn comes is nearly random: it decides masks, not branches.
     *
     * Memory. A slot enters the queue at most once, when its uses fall to one, and the slots that were taken are kept
     * at the queue's front: it never needs more room than there are slots. The sum of a taken slot stays its item's
     * hash, so the reverse pass needs nothing else. FuseFormulas.buildBytes adds it up.
     *
     * Threads. The ends of the array come free first, and two waves run inwards from them. Each takes only items whose
     * slots are all on its side; a few segments in the middle follow when both have stopped. The two share no slot, and
     * the split is made on one thread too, so the same slots are taken in every case, and fingerprints follow from
     * which slots were taken. Ordering and summing use as many threads as there are.
     *
     *     |>>>>>>>>>>>>>>>>>>>>>>>> left |        middle        | right <<<<<<<<<<<<<<<<<<<<<<<<|
     *
     * Starting over. While a hash is in twice, peeling cannot end: repeated ones are removed and the try is made again.
     * A set that still resists (about 2 in 100) gets the next multiplier of a fixed sequence.
     *
     * Slots that no item took. They are given random bits, not zeros: all slots are filled first, from a number made of
     * all items, and the reverse pass flips what must be another. Left at 0, the same wrong answers would come from
     * filters of different sets: with 5 items in each, a filter erred 24 times as often where another one did.
     *
     * [1] Graf and Lemire, "Binary Fuse Filters" (2022), algorithm 2.
     *
     * Left out: more than two waves. Only an end starts one, and further ends inside the array would cost every lookup
     * another multiplication to find its part.
     */
    public static final int MAX_TRIES = 64;

    /** With fewer segments there is no inside that two waves could run to. */
    private static final int LEAST_SEGMENTS_FOR_WAVES = 16;

    /** How many segments an item reaches beyond its first. */
    private static final int REACH = 2;

    private static final int SCAN_SLOTS = 1 << 10;

    private final FuseShape shape;
    private final int segment;
    private final long starts;

    private FuseBuild(FuseShape shape) {
        this.shape = shape;
        this.segment = shape.segment();
        this.starts = shape.starts();
    }

    /** What was found: by which try, and for how many different items. */
    public static final class Solution {
        public final byte[] fingerprints;
        public final int tries;
        public final int items;

        Solution(byte[] fingerprints, int tries, int items) {
            this.fingerprints = fingerprints;
            this.tries = tries;
            this.items = items;
        }
    }

    /**
     * Solves for these hashes, of which at most {@code most} may be different.
     *
     * @throws IllegalStateException if more are, or if no try succeeds
     */
    public static Solution solve(FuseShape shape, int salt, Hashes all, long most) {
        return new FuseBuild(shape).solve(salt, all, most);
    }

    private Solution solve(int salt, Hashes all, long most) {
        FuseOrder items = FuseOrder.of(FuseIntake.of(all, most), shape, FuseShape.multiplier(salt, 0));
        boolean distinct = items.count() > most || items.showsRepeated();
        if (distinct) {
            items.removeRepeated();
        }
        int tries = 0;
        while (true) {
            FuseIntake.refuseMoreThan(most, items.count());
            Taken taken = take(items);
            if (taken != null) {
                return new Solution(assign(taken, items), tries, items.count());
            }
            if (!distinct) {
                distinct = true;
                if (items.removeRepeated()) {
                    continue;
                }
            }
            if (++tries == MAX_TRIES) {
                throw new IllegalStateException("no fingerprints were found for " + items.count() + " hashes in "
                        + MAX_TRIES + " tries: they are not well mixed, or were made to collide");
            }
            items = items.mixedWith(FuseShape.multiplier(salt, tries - 1), FuseShape.multiplier(salt, tries));
        }
    }

    /** The slots as they were taken: those of the left wave, of the right one, of the middle; and whose they are. */
    private static final class Taken {
        final int[] slots;
        final int left;
        final int right;
        final long[] sums;

        Taken(int[] slots, int left, int right, long[] sums) {
            this.slots = slots;
            this.left = left;
            this.right = right;
            this.sums = sums;
        }
    }

    /** Takes all items away, or returns null if they resist. */
    private @Nullable Taken take(FuseOrder items) {
        int slots = shape.slots();
        long[] sums = new long[slots];
        byte[] uses = new byte[slots];
        if (!sum(items, sums, uses)) {
            return null;
        }
        // One place more for each wave: an entry is written before it is known whether it is one.
        int[] queue = new int[slots + 2];
        if (shape.segments() < LEAST_SEGMENTS_FOR_WAVES) {
            int end = peel(sums, uses, 0, slots, 1, 0, (int) starts, queue, 0);
            return end == items.count() ? new Taken(queue, 0, 0, sums) : null;
        }
        assert segment % Long.SIZE == 0 : "the sides share no word of fingerprints";
        int middle = shape.segments() / 2 * segment;
        int reach = REACH * segment;
        int[] taken = new int[2];
        Parts.run(Math.min(2, Parts.of(items.count())), 2, side -> {
            if (side == 0) {
                taken[0] = peel(sums, uses, 0, middle - reach, 1, 0, middle - reach, queue, 0);
            } else {
                int at = middle + 1;
                taken[1] =
                        peel(sums, uses, slots - 1, slots - middle - reach, -1, middle, (int) starts, queue, at) - at;
            }
        });
        int left = taken[0];
        int right = taken[1];
        System.arraycopy(queue, middle + 1, queue, left, right);
        int end = peel(sums, uses, middle - reach, 2 * reach, 1, 0, (int) starts, queue, left + right);
        return end == items.count() ? new Taken(queue, left, right, sums) : null;
    }

    /** False if a slot has more items than a byte counts, as only repeated or hostile hashes have. */
    private boolean sum(FuseOrder items, long[] sums, byte[] uses) {
        int segments = shape.firstSegments();
        int parts = Math.max(1, Math.min(Parts.of(items.count()), segments / (2 * REACH)));
        int[] most = new int[parts];
        // Items of a part's last segments reach into the next part: they wait until that has done its own.
        for (boolean last : new boolean[] {false, true}) {
            Parts.run(parts, parts, part -> {
                int from = Parts.share(segments, part, parts);
                int to = Parts.share(segments, part + 1, parts);
                int split = Math.max(from, to - REACH);
                most[part] |= last
                        ? sum(items.mixed(), items.from(split), items.from(to), sums, uses)
                        : sum(items.mixed(), items.from(from), items.from(split), sums, uses);
            });
        }
        return Arrays.stream(most).allMatch(bits -> bits >= 0);
    }

    /** Adds items to their slots; returns less than 0 if a slot got more than 127. */
    private int sum(long[] mixed, int from, int to, long[] sums, byte[] uses) {
        int all = 0;
        for (int i = from; i < to; i++) {
            long x = mixed[i];
            int first = FuseShape.first(x, starts);
            int second = FuseShape.second(x, first, segment);
            int third = FuseShape.third(x, first, segment);
            sums[first] ^= x;
            sums[second] ^= x;
            sums[third] ^= x;
            all |= ++uses[first] | ++uses[second] | ++uses[third];
        }
        return all;
    }

    /**
     * Takes away what comes free, scanning {@code count} slots from {@code slot} on in steps of {@code step}, and only
     * items whose first slot is in [low, high). The slots taken are put into the queue from {@code at} on.
     *
     * @return the end of the slots taken in the queue
     */
    private int peel(long[] sums, byte[] uses, int slot, int count, int step, int low, int high, int[] queue, int at) {
        int taken = at;
        int head = at;
        int tail = at;
        while (count > 0) {
            int scan = Math.min(SCAN_SLOTS, count);
            count -= scan;
            for (; scan > 0; scan--, slot += step) {
                queue[tail] = slot;
                tail += uses[slot] == 1 ? 1 : 0;
            }
            while (head < tail) {
                int free = queue[head++];
                int live = uses[free];
                assert live == 0 || live == 1;
                long x = sums[free];
                int first = FuseShape.first(x, starts);
                if (first < low || first >= high) {
                    continue;
                }
                int second = FuseShape.second(x, first, segment);
                int third = FuseShape.third(x, first, segment);
                queue[taken] = free;
                taken += live;
                long xIfLive = x & -live;
                sums[first] ^= xIfLive;
                sums[second] ^= xIfLive;
                sums[third] ^= xIfLive;
                sums[free] = x;
                int left = uses[first] -= (byte) live;
                queue[tail] = first;
                tail += left == 1 ? live : 0;
                left = uses[second] -= (byte) live;
                queue[tail] = second;
                tail += left == 1 ? live : 0;
                left = uses[third] -= (byte) live;
                queue[tail] = third;
                tail += left == 1 ? live : 0;
            }
        }
        return taken;
    }

    /** Sets the fingerprints of the slots in reverse: the middle first, then both sides. */
    private byte[] assign(Taken taken, FuseOrder items) {
        byte[] fingerprints = shape.filled(seedOf(items));
        int left = taken.left;
        int both = taken.left + taken.right;
        assign(taken, both, items.count(), fingerprints);
        Parts.run(Math.min(2, Parts.of(items.count())), 2, side -> {
            if (side == 0) {
                assign(taken, 0, left, fingerprints);
            } else {
                assign(taken, left, both, fingerprints);
            }
        });
        return fingerprints;
    }

    /** A number that depends on which items there are, and not on their order. */
    private static long seedOf(FuseOrder items) {
        long[] mixed = items.mixed();
        long sum = 0;
        for (int i = 0; i < items.count(); i++) {
            sum += mixed[i];
        }
        return sum;
    }

    private void assign(Taken taken, int from, int to, byte[] fingerprints) {
        int width = shape.fingerprintBits();
        for (int i = to - 1; i >= from; i--) {
            int slot = taken.slots[i];
            long x = taken.sums[slot];
            int first = FuseShape.first(x, starts);
            int second = FuseShape.second(x, first, segment);
            int third = FuseShape.third(x, first, segment);
            // The slot is one of the three: what it holds already cancels out.
            int fingerprint = FuseShape.fingerprint(x, width);
            if (width == Byte.SIZE) {
                fingerprints[slot] ^=
                        (byte) (fingerprints[first] ^ fingerprints[second] ^ fingerprints[third] ^ fingerprint);
            } else {
                int three = FuseShape.packedWide(fingerprints, first, width)
                        ^ FuseShape.packedWide(fingerprints, second, width)
                        ^ FuseShape.packedWide(fingerprints, third, width);
                FuseShape.flipPacked(fingerprints, slot, width, (three ^ fingerprint) & shape.mask());
            }
        }
    }
}
