package dev.perhaps.membership.fuse;

import dev.perhaps.key.Hashes;
import dev.perhaps.membership.FuseFilter;
import java.util.Arrays;

/**
 * Takes the hashes that a {@link FuseFilter} is built from, in memory for twice as many as were planned however often
 * they are repeated: when it is full, repeated ones are thrown out.
 */
public final class FuseIntake implements Hashes.Sink {
    private static final int LEAST_ROOM = 1 << 12;

    private final long most;
    private final int limit;
    private long[] hashes;
    private int count;

    private FuseIntake(long announced, long most) {
        this.most = most;
        this.limit = (int) Math.min(FuseFormulas.MAX_SLOTS, Math.max(2 * most, LEAST_ROOM));
        this.hashes = new long[(int) Math.min(announced, limit)];
    }

    /** All these hashes, of which at most {@code most} may be different; how many are announced need not be right. */
    public static FuseIntake of(Hashes all, long most) {
        FuseIntake intake = new FuseIntake(all.count(), most);
        all.replay(intake);
        return intake;
    }

    /** The hashes, {@link #count} of them. */
    public long[] hashes() {
        return hashes;
    }

    int count() {
        return count;
    }

    @Override
    public void take(long[] batch, int from, int to) {
        while (from < to) {
            if (count == hashes.length) {
                makeRoom();
            }
            int taken = Math.min(to - from, hashes.length - count);
            System.arraycopy(batch, from, hashes, count, taken);
            count += taken;
            from += taken;
        }
    }

    private void makeRoom() {
        if (hashes.length < limit) {
            long length = Math.max(LEAST_ROOM, 2L * hashes.length);
            hashes = Arrays.copyOf(hashes, (int) Math.min(limit, length));
            return;
        }
        Arrays.sort(hashes);
        count = withoutRepeated(hashes, 0, count);
        refuseMoreThan(most, count);
    }

    /** Leaves each of sorted hashes once, and returns where they end. */
    static int withoutRepeated(long[] sorted, int start, int end) {
        int kept = start;
        for (int i = start; i < end; i++) {
            if (kept == start || sorted[i] != sorted[kept - 1]) {
                sorted[kept++] = sorted[i];
            }
        }
        return kept;
    }

    static void refuseMoreThan(long most, int different) {
        if (different > most) {
            throw new IllegalStateException("the filter was planned for " + most + " items and was given at least "
                    + different + " different ones: plan for more");
        }
    }
}
