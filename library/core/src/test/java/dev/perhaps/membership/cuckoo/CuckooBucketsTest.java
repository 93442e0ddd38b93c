package dev.perhaps.membership.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Buckets at the level of fingerprints, with the other bucket given by the test. */
class CuckooBucketsTest {
    private static final int COPENHAGEN = 49615;
    private static final int DUBLIN = 27356;
    private static final int LISBON = 16431;
    private static final int HELSINKI = 15377;
    private static final int OSLO = 53104;

    /** Ten buckets of one 16-bit fingerprint, with the candidates as the example gives them; it notes where a walk goes. */
    private static final class Capitals extends CuckooBuckets {
        private static final Map<List<Integer>, Integer> OTHER = Map.of(
                List.of(7, COPENHAGEN), 0,
                List.of(0, DUBLIN), 7,
                List.of(7, HELSINKI), 7,
                List.of(7, DUBLIN), 2);

        private final List<Long> walk = new ArrayList<>();

        Capitals() {
            super(10, 1, 16, new long[(int) wordsFor(10, 1, 16)], 0);
        }

        @Override
        long other(long bucket, long fingerprint) {
            long other = Objects.requireNonNull(OTHER.get(List.of((int) bucket, (int) fingerprint)));
            walk.add(other);
            return other;
        }
    }

    private static Capitals capitals() {
        Capitals buckets = new Capitals();
        assertThat(buckets.insert(7, 0, COPENHAGEN, 1)).isTrue();
        assertThat(contents(buckets)).containsExactly(0, 0, 0, 0, 0, 0, 0, COPENHAGEN, 0, 0);
        assertThat(buckets.insert(0, 7, DUBLIN, 2)).isTrue();
        assertThat(contents(buckets)).containsExactly(DUBLIN, 0, 0, 0, 0, 0, 0, COPENHAGEN, 0, 0);
        assertThat(buckets.insert(7, 9, LISBON, 3)).isTrue();
        assertThat(contents(buckets)).containsExactly(DUBLIN, 0, 0, 0, 0, 0, 0, COPENHAGEN, 0, LISBON);
        assertThat(buckets.walk).isEmpty();
        assertThat(buckets.insert(7, 7, HELSINKI, 4)).isTrue();
        return buckets;
    }

    @Test
    void evictsAlongTheWayOfTheExample() {
        Capitals buckets = capitals();
        assertThat(buckets.walk).containsExactly(0L, 7L, 7L, 2L);
        assertThat(contents(buckets)).containsExactly(COPENHAGEN, 0, DUBLIN, 0, 0, 0, 0, HELSINKI, 0, LISBON);
        assertThat(buckets.items()).isEqualTo(4);
    }

    @Test
    void findsLisbonAndNotOslo() {
        Capitals buckets = capitals();
        assertThat(buckets.held(7, 9, LISBON)).isNotZero();
        assertThat(buckets.fingerprintAt(9, 0)).isEqualTo(LISBON);
        assertThat(buckets.held(0, 6, OSLO)).isZero();
        // The example's way to the other bucket is not its own inverse, and this is what it costs.
        assertThat(buckets.held(0, 7, DUBLIN)).isZero();
    }

    private static long[] contents(CuckooBuckets buckets) {
        long[] contents = new long[(int) buckets.buckets];
        for (int i = 0; i < contents.length; i++) {
            contents[i] = buckets.fingerprintAt(i, 0);
        }
        return contents;
    }

    /** Buckets where i and m − 1 − i belong together whatever the fingerprint. */
    private static final class Mirrored extends CuckooBuckets {
        Mirrored(int buckets, int slots, int bits) {
            super(buckets, slots, bits, new long[(int) wordsFor(buckets, slots, bits)], 0);
        }

        @Override
        long other(long bucket, long fingerprint) {
            return buckets - 1 - bucket;
        }
    }

    /** Every width and every bucket size, against a plain array of slots: what is put in is there, and nothing else is. */
    @Test
    void keepsEverySlotApartFromItsNeighbours() {
        SplittableRandom random = new SplittableRandom(5);
        for (int slots : new int[] {1, 2, 4}) {
            for (int bits = CuckooTable.MIN_BITS; bits <= CuckooTable.MAX_BITS; bits++) {
                Mirrored buckets = new Mirrored(22, slots, bits);
                List<List<Long>> model = new ArrayList<>();
                for (int pair = 0; pair < 11; pair++) {
                    model.add(new ArrayList<>());
                }
                for (int step = 0; step < 300; step++) {
                    int pair = random.nextInt(11);
                    // Few values, among them those with all and with most bits set.
                    long fingerprint = Math.max(1, buckets.mask - random.nextInt(6) * (buckets.mask / 5));
                    List<Long> held = model.get(pair);
                    if (random.nextInt(3) > 0) {
                        boolean fits = held.size() < 2 * slots;
                        assertThat(buckets.insert(pair, 21 - pair, fingerprint, step))
                                .isEqualTo(fits);
                        if (fits) {
                            held.add(fingerprint);
                        }
                    } else {
                        boolean there = held.remove(fingerprint);
                        assertThat(buckets.remove(pair, 21 - pair, fingerprint)).isEqualTo(there);
                    }
                    check(buckets, model);
                }
                assertThat(buckets.endsInZeros()).isTrue();
            }
        }
    }

    private static void check(Mirrored buckets, List<List<Long>> model) {
        long items = 0;
        for (int pair = 0; pair < 11; pair++) {
            List<Long> held = model.get(pair);
            items += held.size();
            for (int value = 0; value < 6; value++) {
                long fingerprint = Math.max(1, buckets.mask - value * (buckets.mask / 5));
                long copies = held.stream().filter(v -> v == fingerprint).count();
                if (buckets.copies(pair, 21 - pair, fingerprint) != copies
                        || (buckets.held(pair, 21 - pair, fingerprint) != 0) != (copies > 0)) {
                    throw new AssertionError("pair " + pair + ", fingerprint " + fingerprint + ": expected " + copies
                            + ", got " + buckets.copies(pair, 21 - pair, fingerprint) + " with " + buckets.slots
                            + " slots of " + buckets.bits + " bits");
                }
            }
        }
        assertThat(buckets.items()).isEqualTo(items);
    }

    @Test
    void countsABucketThatIsGivenTwiceOnce() {
        Mirrored buckets = new Mirrored(3, 2, 8);
        assertThat(buckets.insert(1, 1, 77, 1)).isTrue();
        assertThat(buckets.insert(1, 1, 77, 1)).isTrue();
        assertThat(buckets.copies(1, 1, 77)).isEqualTo(2);
        assertThat(buckets.insert(1, 1, 77, 1)).isFalse();
    }

    @Test
    void takesAWholeWalkBackIfItFindsNoRoom() {
        for (int bits : new int[] {5, 13, 16, 27, 32}) {
            for (int slots : new int[] {1, 2, 4}) {
                CuckooTable table = CuckooTable.first(60, slots, bits);
                SplittableRandom random = new SplittableRandom(bits);
                int refused = 0;
                while (refused < 20) {
                    long[] before = table.words.clone();
                    long items = table.items();
                    if (!table.add(random.nextLong())) {
                        refused++;
                        assertThat(table.words).isEqualTo(before);
                        assertThat(table.items()).isEqualTo(items);
                    }
                }
                table.recount();
                assertThat(table.load()).isGreaterThan(slots == 1 ? 0.2 : 0.6);
            }
        }
    }

    @Test
    void knowsTheOtherBucketOfTheOtherInEveryTable() {
        SplittableRandom random = new SplittableRandom(8);
        for (int buckets : new int[] {2, 4, 6, 10, 64, 1_000, 65_534}) {
            CuckooTable table = CuckooTable.first(buckets, 4, 7);
            for (int number = 0; number < 4; number++) {
                for (int step = 0; step < 2_000; step++) {
                    long bucket = random.nextLong(table.buckets);
                    long fingerprint = 1 + random.nextLong(table.mask);
                    long other = table.other(bucket, fingerprint);
                    assertThat(other).isBetween(0L, table.buckets - 1).isNotEqualTo(bucket);
                    assertThat(table.other(other, fingerprint)).isEqualTo(bucket);
                }
                table = table.next();
            }
        }
    }

    /** All buckets and fingerprints of small tables: two items that look alike in a table look alike in the one before. */
    @Test
    void refinesEveryTableByTheNext() {
        for (int buckets : new int[] {2, 6, 14}) {
            CuckooTable coarse = CuckooTable.first(buckets, 4, 4);
            for (int number = 1; number < 5; number++) {
                CuckooTable fine = coarse.next();
                for (long bucket = 0; bucket < fine.buckets; bucket++) {
                    for (long fingerprint = 1; fingerprint <= fine.mask; fingerprint++) {
                        long shorter = Math.max(1, fingerprint & coarse.mask);
                        long other = fine.other(bucket, fingerprint);
                        if (coarse.other(bucket >>> 1, shorter) != other >>> 1) {
                            throw new AssertionError("table " + number + ", bucket " + bucket + ", fingerprint "
                                    + fingerprint + " goes to " + other);
                        }
                    }
                }
                coarse = fine;
            }
        }
    }

    @Test
    void fillsLateTablesWithShortFirstFingerprints() {
        CuckooTable table = CuckooTable.first(66, 2, 5);
        for (int number = 0; number < 10; number++) {
            table = table.next();
        }
        SplittableRandom random = new SplittableRandom(10);
        for (long items = 0; items < table.room(); items++) {
            assertThat(table.add(random.nextLong())).isTrue();
        }
        assertThat(table.load()).isGreaterThan(0.83);
    }

    @Test
    void growsNoTableBeyondWhatAnArrayHolds() {
        assertThat(CuckooTable.first(2, 4, 31).hasNext()).isTrue();
        assertThat(CuckooTable.first(2, 4, 32).hasNext()).isFalse();
        assertThat(CuckooBuckets.wordsFor(1L << 33, 4, 4))
                .isEqualTo((1L << 31) + 1)
                .isGreaterThan(CuckooBuckets.MAX_WORDS);
        assertThat(CuckooBuckets.wordsFor(2, 2, 16)).isEqualTo(2);
        assertThat(CuckooBuckets.wordsFor(2, 4, 17)).isEqualTo(4);
    }
}
