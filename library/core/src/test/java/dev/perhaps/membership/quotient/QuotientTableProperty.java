package dev.perhaps.membership.quotient;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.sketch.Added;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** Random operations against an exact multiset; after each one, every bit of the table is compared with it. */
class QuotientTableProperty {
    private static final int STEPS = 150;

    @Property(tries = 250)
    void isTheMultisetThatWasAddedAndRemoved(
            @ForAll @LongRange(min = 1, max = 4_000) long range,
            @ForAll @IntRange(min = 1, max = 11) int remainderBits,
            @ForAll boolean everyCopy,
            @ForAll boolean crowded,
            @ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Draw draw = new Draw(random, range, crowded);
        QuotientTable table = new QuotientTable(range, remainderBits);
        QuotientModel model = new QuotientModel(range);
        for (long left = random.nextLong(table.limit + 1); left > 0; left--) {
            add(table, model, draw.next(), everyCopy);
        }
        for (int step = 0; step < STEPS; step++) {
            long fingerprint = draw.next();
            switch (random.nextInt(8)) {
                case 0, 1, 2, 3 -> add(table, model, fingerprint, everyCopy);
                case 4, 5, 6 -> assertThat(table.remove(fingerprint)).isEqualTo(model.remove(fingerprint));
                default -> table = resized(table, random, everyCopy);
            }
            model.assertIs(table, everyCopy);
            for (int i = 0; i < 5; i++) {
                long asked = draw.next();
                assertThat(table.contains(asked)).isEqualTo(model.count(asked) > 0);
                assertThat(table.count(asked)).isEqualTo(model.count(asked));
            }
        }
        for (long fingerprint : model.fingerprints()) {
            assertThat(table.contains(fingerprint)).isTrue();
        }
    }

    /** Fingerprints; crowded ones lie around one point, so that clusters are long and cross the edges of blocks. */
    private static final class Draw {
        private final SplittableRandom random;
        private final long range;
        private final boolean crowded;
        private final long centre;

        Draw(SplittableRandom random, long range, boolean crowded) {
            this.random = random;
            this.range = range;
            this.crowded = crowded;
            this.centre = random.nextBoolean() ? range - 1 : random.nextLong(range);
        }

        long next() {
            double share = random.nextDouble();
            return Math.floorMod(centre - (long) ((crowded ? Math.pow(share, 4) : share) * range), range);
        }
    }

    private static void add(QuotientTable table, QuotientModel model, long fingerprint, boolean everyCopy) {
        boolean present = model.count(fingerprint) > 0;
        boolean needsRoom = everyCopy || !present;
        boolean full = needsRoom && model.size() == table.limit;
        Added expected = full ? Added.FULL : present ? Added.PRESENT : Added.ADDED;
        assertThat(table.add(fingerprint, everyCopy)).isEqualTo(expected);
        if (needsRoom && !full) {
            model.add(fingerprint);
        }
    }

    private static QuotientTable resized(QuotientTable table, SplittableRandom random, boolean everyCopy) {
        int bits = table.remainderBits + (random.nextBoolean() ? 1 : -1);
        if (bits < 1 || bits > 12 || table.used() > QuotientTable.limitFor(QuotientTable.slotsFor(table.range, bits))) {
            return table;
        }
        QuotientTable resized = new QuotientTable(table.range, bits);
        QuotientWeaver.weave(resized, List.of(table), !everyCopy, 1 + random.nextInt(4));
        return resized;
    }

    @Property(tries = 300)
    void isTheSumOfWhatIsMerged(
            @ForAll @LongRange(min = 200, max = 20_000) long range,
            @ForAll @IntRange(min = 1, max = 5) int sources,
            @ForAll boolean once,
            @ForAll boolean crowded,
            @ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Draw draw = new Draw(random, range, crowded);
        QuotientModel model = new QuotientModel(range);
        QuotientTable[] tables = new QuotientTable[sources];
        QuotientTable target = new QuotientTable(range, 1 + random.nextInt(3));
        for (int i = 0; i < sources; i++) {
            tables[i] = new QuotientTable(range, 1 + random.nextInt(6));
            for (long left = Math.min(tables[i].limit, target.limit / sources) * 3 / 4; left > 0; left--) {
                long fingerprint = draw.next();
                if (tables[i].add(fingerprint, !once) == Added.ADDED || !once) {
                    if (!once || model.count(fingerprint) == 0) {
                        model.add(fingerprint);
                    }
                }
            }
        }
        QuotientWeaver.weave(target, List.of(tables), once, 1 + random.nextInt(6));
        model.assertIs(target, !once);
    }

    @Property(tries = 200)
    void turnsRowsIntoValuesAndBack(@ForAll @IntRange(min = 1, max = 62) int rows, @ForAll long seed) {
        long[] words = new SplittableRandom(seed).longs(rows + 2).toArray();
        byte[] values = BitRows.planes(rows);
        BitRows.read(words, 1, rows, values, new long[8]);
        for (int i = 0; i < BitRows.VALUES; i++) {
            for (int row = 0; row < rows; row++) {
                assertThat(BitRows.get(values, i) >>> rows - 1 - row & 1).isEqualTo(words[1 + row] >>> i & 1);
            }
        }
        long[] written = new long[rows + 2];
        written[0] = words[0];
        written[rows + 1] = words[rows + 1];
        BitRows.write(written, 1, rows, values, new long[8]);
        assertThat(written).isEqualTo(words);
        assertThat(values).containsOnly((byte) 0);
    }
}
