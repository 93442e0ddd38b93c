package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import dev.perhaps.membership.cuckoo.CuckooFormulas;
import dev.perhaps.sketch.Added;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Random operations on small, crowded tables against an exact model. The model knows what docs/format.md says of a hash's
 * fingerprint and buckets, keeps a count for each, and shares no code with the tables.
 */
class CuckooProperty {
    private static final int ITEMS = 24;
    private static final long[] HASHES = Subject.hashes(ITEMS, 77);
    private static final long C = 0xD6E8FEB86659FD93L;
    private static final long PAIR = 0x9E3779B97F4A7C15L;

    enum Verb {
        ADD,
        REMOVE
    }

    record Operation(Verb verb, int item) {}

    @Provide
    Arbitrary<List<Operation>> operations() {
        // Three adds to a removal, so that the tables run full.
        Arbitrary<Verb> verbs = Arbitraries.of(Verb.ADD, Verb.ADD, Verb.ADD, Verb.REMOVE);
        Arbitrary<Integer> items = Arbitraries.integers().between(0, ITEMS - 1);
        return verbs.flatMap(verb -> items.map(item -> new Operation(verb, item)))
                .list()
                .ofMinSize(1)
                .ofMaxSize(300);
    }

    @Provide
    Arbitrary<Integer> slots() {
        return Arbitraries.of(1, 2, 4);
    }

    @Provide
    Arbitrary<Integer> bits() {
        return Arbitraries.of(4, 5, 7, 16, 17, 32);
    }

    /** The smaller bucket and the fingerprint: all that a table can tell of an item. */
    record Look(long bucket, long fingerprint) {
        static Look of(long hash, long buckets, int bits) {
            long x = hash * C;
            x ^= x >>> 32;
            long fingerprint = Math.max(1, x & (1L << bits) - 1);
            long one = Mix.reduce(x, buckets);
            int log2 = 63 - Long.numberOfLeadingZeros(buckets);
            long h = fingerprint * PAIR >>> (64 - log2) | 1;
            return new Look(Math.min(one, Math.floorMod(h - one, buckets)), fingerprint);
        }
    }

    @Property(tries = 300)
    void keepsAMultisetOfFingerprints(
            @ForAll("operations") List<Operation> operations, @ForAll("slots") int slots, @ForAll("bits") int bits)
            throws IOException {
        CuckooFilter<Long> filter = CuckooFilter.expecting(8)
                .of(Key.longs())
                .slots(slots)
                .fingerprintBits(bits)
                .build();
        long buckets = (long) CuckooFormulas.bucketsWithSpare(8, slots);
        Look[] looks =
                Arrays.stream(HASHES).mapToObj(h -> Look.of(h, buckets, bits)).toArray(Look[]::new);
        Map<Look, Long> model = new HashMap<>();
        for (Operation operation : operations) {
            Look look = looks[operation.item()];
            long hash = HASHES[operation.item()];
            long copies = model.getOrDefault(look, 0L);
            byte[] before = bytes(filter);
            if (operation.verb() == Verb.REMOVE) {
                assertThat(filter.removeHash(hash)).isEqualTo(copies > 0);
                model.put(look, Math.max(0, copies - 1));
            } else {
                Added added = filter.addHash(hash);
                if (added == Added.FULL) {
                    assertThat(bytes(filter)).isEqualTo(before);
                } else {
                    assertThat(copies).isLessThan(2L * slots);
                    assertThat(added).isEqualTo(copies == 0 ? Added.ADDED : Added.PRESENT);
                    model.put(look, copies + 1);
                }
            }
            assertThat(filter.itemsNow())
                    .isEqualTo(
                            model.values().stream().mapToLong(Long::longValue).sum());
            for (int i = 0; i < ITEMS; i++) {
                long expected = model.getOrDefault(looks[i], 0L);
                if (filter.countHash(HASHES[i]) != expected || filter.mightContainHash(HASHES[i]) != expected > 0) {
                    throw new AssertionError("item " + i + ": " + filter.countHash(HASHES[i]) + ", not " + expected);
                }
            }
        }
    }

    @Property(tries = 200)
    void keepsASetOfFingerprints(
            @ForAll("operations") List<Operation> operations, @ForAll("slots") int slots, @ForAll("bits") int bits) {
        CuckooSet<Long> filter = CuckooSet.expecting(8)
                .of(Key.longs())
                .slots(slots)
                .fingerprintBits(bits)
                .build();
        long buckets = (long) CuckooFormulas.bucketsWithSpare(8, slots);
        Set<Look> model = new HashSet<>();
        for (Operation operation : operations) {
            long hash = HASHES[operation.item()];
            Look look = Look.of(hash, buckets, bits);
            assertThat(filter.mightContainHash(hash)).isEqualTo(model.contains(look));
            Added added = filter.addHash(hash);
            if (added == Added.FULL) {
                assertThat(model).doesNotContain(look);
            } else {
                assertThat(added == Added.ADDED).isEqualTo(model.add(look));
            }
            assertThat(filter.itemsNow()).isEqualTo(model.size());
        }
    }

    /** Several tables see an item with fingerprints of different lengths: only what is there is removed, and nothing else is lost. */
    @Property(tries = 300)
    void losesNothingInAnyOfItsTables(@ForAll("operations") List<Operation> operations, @ForAll("slots") int slots)
            throws IOException {
        CuckooFilter<Long> filter = CuckooFilter.expecting(3)
                .of(Key.longs())
                .slots(slots)
                .fingerprintBits(4)
                .growing()
                .build();
        int[] model = new int[ITEMS];
        for (Operation operation : operations) {
            int item = operation.item();
            byte[] before = bytes(filter);
            if (operation.verb() == Verb.ADD) {
                if (filter.addHash(HASHES[item]) == Added.FULL) {
                    assertThat(bytes(filter)).isEqualTo(before);
                } else {
                    model[item]++;
                }
            } else if (model[item] > 0) {
                assertThat(filter.removeHash(HASHES[item])).isTrue();
                model[item]--;
            }
            assertThat(filter.itemsNow()).isEqualTo(Arrays.stream(model).sum());
            for (int i = 0; i < ITEMS; i++) {
                assertThat(filter.countHash(HASHES[i])).isGreaterThanOrEqualTo(model[i]);
            }
        }
        for (int i = 0; i < ITEMS; i++) {
            for (; model[i] > 0; model[i]--) {
                assertThat(filter.removeHash(HASHES[i])).isTrue();
            }
        }
        assertThat(filter.itemsNow()).isZero();
        assertThat(filter.errorNow()).isZero();
    }

    private static byte[] bytes(HashFilter<Long> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }
}
